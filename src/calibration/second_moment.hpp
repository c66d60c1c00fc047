#pragma once

#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/matrix_view.hpp"

namespace summand::calibration {

/// The mean of each column. @param rows  at least one
[[nodiscard]] std::vector<double> column_means(MatrixView<const float> rows);

/// The covariance of rows whose columns are multiplied by factors: mean of (x - mean) · (x - mean)^T. Products are
/// summed in single precision over 512 rows at a time, and these in double, by one thread: the bits depend on the rows
/// and the instruction set alone.
/// @param rows  at least one
/// @param factors  [columns]
/// @return [columns, columns]
[[nodiscard]] Matrix<double> covariance(MatrixView<const float> rows, std::span<const float> factors);

}  // namespace summand::calibration
