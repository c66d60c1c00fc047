#pragma once

#include <cstddef>
#include <optional>

#include "model/tensor.hpp"

namespace summand::io {

/// Finds the first element that is NaN or infinite.
/// @param tensor  of any element type; integers are always finite
/// @return its index in row-major order, or nothing if all are finite
[[nodiscard]] std::optional<size_t> first_non_finite(const model::Tensor& tensor);

}  // namespace summand::io
