#include "lab/statistics/placed_rows.hpp"

#include <algorithm>

#include "lab/statistics/moments.hpp"

namespace summand::lab {

PlacedRows placed_rows(const Table& table, std::span<const size_t> left_out, size_t first) {
  std::vector<Eigen::Index> kept;
  PlacedRows placed;
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    const size_t position = first + static_cast<size_t>(row);
    if (std::ranges::binary_search(left_out, position)) continue;
    kept.push_back(row);
    placed.at.push_back(position);
  }
  placed.rows = table(kept, Eigen::all);
  return placed;
}

PlacedRows rows_between(const PlacedRows& of, size_t first, size_t end) {
  const auto from = std::ranges::lower_bound(of.at, first);
  const auto to = std::ranges::lower_bound(of.at, std::max(first, end));
  return {.rows = of.rows.middleRows(from - of.at.begin(), to - from), .at = {from, to}};
}

Table centred_in_place(const PlacedRows& of) {
  Table grid = Table::Zero(static_cast<Eigen::Index>(of.span()), of.rows.cols());
  const Table rows = centred(of.rows);
  for (size_t i = 0; i < of.at.size(); ++i) {
    grid.row(static_cast<Eigen::Index>(of.at[i] - of.at.front())) = rows.row(static_cast<Eigen::Index>(i));
  }
  return grid;
}

std::vector<Eigen::Index> steps_of(const PlacedRows& rows) {
  std::vector<Eigen::Index> steps;
  for (size_t i = 0; i + 1 < rows.at.size(); ++i) {
    if (rows.at[i + 1] == rows.at[i] + 1) steps.push_back(static_cast<Eigen::Index>(i));
  }
  return steps;
}

}  // namespace summand::lab
