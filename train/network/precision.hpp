#pragma once

#include <span>

#include "model/enum_names.hpp"

namespace summand::train {

/// Precision of training.
enum class Precision {
  fp32,
  bf16,  ///< products in bf16 by libtorch's autocast; parameters and their averages stay in fp32
};

[[nodiscard]] std::span<const model::EnumName<Precision>> enum_names(Precision);

}  // namespace summand::train
