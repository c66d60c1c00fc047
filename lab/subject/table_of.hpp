#pragma once

#include "base/matrix_view.hpp"
#include "lab/statistics/table.hpp"
#include "model/tensor.hpp"

namespace summand::lab {

/// In double precision.
[[nodiscard]] Table table_of(MatrixView<const float> values);

/// A tensor in double precision: its last dimension makes the columns, all before it the rows; one dimension makes a
/// single row.
[[nodiscard]] Table table_of(const model::Tensor& tensor);

}  // namespace summand::lab
