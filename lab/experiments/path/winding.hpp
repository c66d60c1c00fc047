#pragma once

#include "lab/statistics/table.hpp"

namespace summand::lab {

namespace path {

/// A path that goes round a centre one way, its radius only growing, or only shrinking, at whatever pace both do.
struct Winding {
  double r2 = 0;         ///< of what the rows vary
  double radius_r2 = 0;  ///< of what their distances from the centre vary, along the path's directions
  double turns = 0;      ///< from the first row to the last
  double growth = 1;     ///< of the rows' own distances, from the smaller end to the larger; an end is a twentieth
};

/// The nearest such path: angles and radii by isotonic regression, by turns with the centre. Between two rows it goes
/// less than half a turn.
/// @param plane  [rows, 2], in the order of the positions
/// @throws UsageError with other columns, or fewer than three rows
[[nodiscard]] Winding winding_of(const Table& plane);

}  // namespace path

}  // namespace summand::lab
