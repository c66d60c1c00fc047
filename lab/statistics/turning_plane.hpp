#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// A plane that one step turns, and how the rows of a table move in it.
struct TurningPlane {
  double angle = 0;             ///< of one step, in radians: above 0, below π
  double pace = 0;              ///< the rows' own mean, in radians a step: the slope of their unwrapped phase
  double turns = 0;             ///< at that pace from the first position to the last, both included
  double radius = 0;            ///< mean distance from the centre
  double radius_variation = 0;  ///< standard deviation of that distance, as a share of its mean
  double coherence = 0;  ///< how well the pace tells the phase one turn ahead, or half of the positions if that is
                         ///< less: mean resultant length, 1 if exactly
  double share = 0;      ///< of the rows' variance that lies along the two axes
  Table axes = {};       ///< [2, columns], orthonormal
  Table path = {};       ///< [kept, 2], where each row stands; turns from the first axis to the second
};

/// Fills in pace, turns, radius, radius_variation and coherence from `angle` and `path`. @param at  [kept], two or more
void read_path(TurningPlane& plane, const std::vector<size_t>& at);

/// How far the path turns from each row to the next: about the plane's angle for each position between them, so that a
/// step of more than half a turn counts as what it most likely is. @return [rows − 1], radians
[[nodiscard]] Vector phase_advances(const TurningPlane& plane, const std::vector<size_t>& at);

/// Over how many positions the plane's pace tells its rows' phase: the longest distance up to which the phases that the
/// path gains, less those of a steady pace, have a mean resultant length of kCoherent or more.
/// @return 0 … half the positions, which are as far as it looks
/// Source: mean resultant length, Mardia & Jupp 2000, section 2.3
[[nodiscard]] size_t coherence_length(const TurningPlane& plane, const std::vector<size_t>& at);
inline constexpr double kCoherent = 0.5;

/// What every advance counts in the slope of the phase's least-squares line: Σ weight · advance over Σ weight · length,
/// the length being that from a row's position to the next row's. @param at  two rows or more @return [rows − 1]
[[nodiscard]] Vector slope_weights(std::span<const size_t> at);

/// The slope of the phase's least-squares line over rows first … end − 1, in radians a position.
/// @pre two rows or more
[[nodiscard]] double pace_between(const Vector& advances, const std::vector<size_t>& at, size_t first, size_t end);

}  // namespace summand::lab
