#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Rows of a table of positions, some of which may be left out: row i stands at position at[i].
struct PlacedRows {
  Table rows;              ///< [kept, columns]
  std::vector<size_t> at;  ///< [kept], increasing

  /// Positions from the first to the last, those left out included; 0 where there is none.
  [[nodiscard]] size_t span() const { return at.empty() ? 0 : at.back() - at.front() + 1; }
};

/// Rows first, first + 1, … of a table of positions, but those at these positions.
/// @param left_out  increasing @param first  the position of the table's first row
[[nodiscard]] PlacedRows placed_rows(const Table& table, std::span<const size_t> left_out = {}, size_t first = 0);

/// Those at positions first … end − 1.
[[nodiscard]] PlacedRows rows_between(const PlacedRows& of, size_t first, size_t end);

/// The rows less their mean, in their places; what was left out is 0, the mean. @return [span, columns]
[[nodiscard]] Table centred_in_place(const PlacedRows& of);

/// Indices i of rows whose next position is there too: pairs (i, i + 1) are one step apart.
[[nodiscard]] std::vector<Eigen::Index> steps_of(const PlacedRows& rows);

}  // namespace summand::lab
