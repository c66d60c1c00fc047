#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "base/matrix.hpp"

namespace summand::train {

/// result(…, i, j) = value(…, i, indices(i, j)): for each row, columns of its own, the same in all leading dimensions.
/// @param value  [… , rows, any]
/// @param indices  [rows, columns]
/// @return [… , rows, columns]; in float, of a value in bf16
[[nodiscard]] at::Tensor indexed_columns(const at::Tensor& value, const Matrix<int32_t>& indices);

/// The reverse: result(…, i, c) = Σ value(…, i, j) over all j with indices(i, j) = c.
/// @return [… , rows, columns]; in float, of a value in bf16
[[nodiscard]] at::Tensor summed_columns(const at::Tensor& value, const Matrix<int32_t>& indices, int64_t columns);

}  // namespace summand::train
