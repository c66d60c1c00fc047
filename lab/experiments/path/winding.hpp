#pragma once

#include "lab/statistics/placed_rows.hpp"

namespace summand::lab {

namespace path {

/// Of an ellipse's second axis, as a share of its first: a swing to and fro has 0, a circle 1.
inline constexpr double kLeastRoundness = 0.4;

/// Blocks of rows whose radii are averaged, so that noise does not decide whether they grow.
inline constexpr Eigen::Index kRadiusBlocks = 16;

/// How large the second axis of an ellipse is, as a share of the first.
/// @param squares  of which the axes' squares are the eigenvalues
[[nodiscard]] double roundness_of(const Eigen::Matrix2d& squares);

/// How a path's radius goes along its rows, if at all it only grows, or only shrinks.
struct Growing {
  double r2 = 0;        ///< of the means of kRadiusBlocks blocks of rows, by such radii
  double one_step = 0;  ///< of what these radii vary, that two constant ones tell, each of the rows to one side
};

/// @param radii  [rows]
[[nodiscard]] Growing growing_of(const Vector& radii);

/// A path that goes round a centre one way, its radius only growing, or only shrinking, at whatever pace both do.
struct Winding {
  double r2 = 0;         ///< of what the rows vary
  double radius_r2 = 0;  ///< of what their distances from the centre vary, along the path's directions
  double turns = 0;      ///< from the first row to the last
  double growth = 1;     ///< of the rows' own distances, from the smaller end to the larger; an end is a twentieth
  double one_step = 0;   ///< of how the radius grows, that two constant ones tell
};

/// The nearest such path: angles and radii by isotonic regression, by turns with the centre. From a position to the
/// next it goes less than half a turn; across positions that are left out, as fast as before them.
/// @param plane  [rows, 2]
/// @throws UsageError with other columns, or fewer than three rows
[[nodiscard]] Winding winding_of(const PlacedRows& plane);

/// A path that goes round an axis one way, at one distance from it, and along it by as much for every turn: at whatever
/// pace it does both.
struct WindingHelix {
  double r2 = 0;     ///< the smaller of the line's, along the axis by the angle, and of the circle's across it
  double turns = 0;  ///< from the first row to the last
};

/// The nearest such path, its angle by isotonic regression, by turns with its axis.
/// @param space  [rows, 3]
/// @throws UsageError with other columns, or fewer than five rows
[[nodiscard]] WindingHelix winding_helix_of(const PlacedRows& space);

}  // namespace path

}  // namespace summand::lab
