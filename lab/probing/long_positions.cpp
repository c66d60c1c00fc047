#include "lab/probing/long_positions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace summand::lab {

using Eigen::Index;

Table clamped_positions(const Table& table, size_t rows, size_t last) {
  Table longer(static_cast<Index>(rows), table.cols());
  longer.topRows(table.rows()) = table;
  for (Index row = table.rows(); row < longer.rows(); ++row) longer.row(row) = table.row(static_cast<Index>(last));
  return longer;
}

Table stretched_positions(const Table& table, size_t rows) {
  Table longer(static_cast<Index>(rows), table.cols());
  for (Index row = 0; row < longer.rows(); ++row) {
    const double at =
        rows < 2 ? 0 : static_cast<double>(row * (table.rows() - 1)) / static_cast<double>(longer.rows() - 1);
    const Index below = std::min(static_cast<Index>(at), table.rows() - 1);
    const Index above = std::min(below + 1, table.rows() - 1);
    const double part = at - static_cast<double>(below);
    longer.row(row) = (1 - part) * table.row(below) + part * table.row(above);
  }
  return longer;
}

Table tiled_positions(const Table& table, size_t rows) {
  Table longer(static_cast<Index>(rows), table.cols());
  for (Index row = 0; row < longer.rows(); ++row) longer.row(row) = table.row(row % table.rows());
  return longer;
}

Table hierarchical_positions(const Table& table, size_t rows, double share) {
  const auto own = static_cast<size_t>(table.rows());
  if (rows > own * own) {
    throw UsageError("hierarchical positions", fmt::format("expected at most {} rows, got {}", own * own, rows));
  }
  if (!(share > 0 && share < 1) || share == 0.5) {
    throw UsageError("hierarchical positions", fmt::format("expected a share in (0, 1) but 0.5, got {}", share));
  }
  const Table parts = (table.rowwise() - share * table.row(0)) / (1 - share);
  Table longer(static_cast<Index>(rows), table.cols());
  longer.topRows(std::min(table.rows(), longer.rows())) = table.topRows(std::min(table.rows(), longer.rows()));
  for (Index row = table.rows(); row < longer.rows(); ++row) {
    longer.row(row) = share * parts.row(row / table.rows()) + (1 - share) * parts.row(row % table.rows());
  }
  return longer;
}

}  // namespace summand::lab
