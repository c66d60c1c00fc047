#pragma once

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

namespace path {

/// The scatter has two components; a helix, seen from the side, needs a third.
inline constexpr Eigen::Index kComponents = 3;
/// Of a spiral or a helix: the path of any random walk goes round once.
inline constexpr double kLeastTurns = 2;
/// Of a spiral whose pace is not even.
inline constexpr double kLeastUnevenTurns = 4;
/// Of a spiral's radius from one end to the other: a circle has 1.
inline constexpr double kLeastGrowth = 2;
/// From this growth on, a path that goes round misses the definition of a spiral by little.
inline constexpr double kNearGrowth = 1.5;

/// Of how a radius grows: where two constant radii tell more, it is a ring that steps once to another.
inline constexpr double kOneStep = 0.9;
/// R² of a wave's size by radii that only grow, or only shrink: with less it comes and goes.
inline constexpr double kGrowsOneWay = 0.8;

/// Distances up to so many positions, and up to twice as many, and so on, are looked at by themselves.
inline constexpr size_t kNearest = 8;

/// How the rows go in their first components.
struct Course {
  double spiral = 0;       ///< R² of a spiral in the first two components, at a pace of a few or at whatever pace
  double helix = 0;        ///< the smaller of a line's R² along an axis of the first three and a circle's across it
  double near = 0;         ///< R² of what misses the definition: by little, in growth or in turns; or in how it grows
  double ring = 0;         ///< share of the held-out variance of the first two that is one circle: Circles::share()
  double angle = 0;        ///< degrees a step, of that circle; 0 without one
  double winding = 0;      ///< R² of a path that goes round one way in the first two, at whatever pace …
  double growth = 1;       ///< … and how many times its radius grows
  double first_two = 0;    ///< share of the variance
  double told_by_two = 0;  ///< of what n − m tells of all rows' squared distances, what it tells of those in two
  double told_nearby = 0;  ///< the same of distances of 1 … 8, 1 … 16, … positions: the least
  double told_by_all = 0;  ///< share of all squared distances that n − m tells
};

/// @throws UsageError with fewer than three rows, or rows that are all equal
[[nodiscard]] Course course_of(const PlacedRows& rows);

}  // namespace path

}  // namespace summand::lab
