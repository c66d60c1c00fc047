#pragma once

#include <span>
#include <vector>

#include "base/matrix.hpp"

namespace summand::api {

/// The mean of a table's rows, [columns].
[[nodiscard]] std::vector<double> mean_row(const Matrix<double>& table);

/// Euclidean norm.
[[nodiscard]] double norm(std::span<const double> row);

/// row - mean, coordinate by coordinate.
[[nodiscard]] std::vector<double> difference(std::span<const double> row, std::span<const double> mean);

}  // namespace summand::api
