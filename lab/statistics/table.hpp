#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

namespace summand::lab {

/// Rows are items (positions, tokens, samples), columns are coordinates.
using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

/// Every element, row after row.
[[nodiscard]] inline std::span<const double> elements(const Table& table) {
  return {table.data(), static_cast<size_t>(table.size())};
}
[[nodiscard]] inline std::span<const double> elements(const Vector& vector) {
  return {vector.data(), static_cast<size_t>(vector.size())};
}

}  // namespace summand::lab
