#pragma once

#include <span>

#include "model/enum_names.hpp"

namespace summand::train {

/// What a training computes in.
enum class Precision {
  fp32,
  bf16,  ///< products in bf16, where libtorch's autocast has them; parameters and their averages stay in fp32
};

[[nodiscard]] std::span<const model::EnumName<Precision>> enum_names(Precision);

}  // namespace summand::train
