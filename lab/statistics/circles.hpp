#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/turning_plane.hpp"

namespace summand::lab {

/// What makes a plane of the step's motion a circle. Chosen by calibration on some families of planted tables, judged
/// on others: docs/decisions/circles.md.
namespace circle_rule {
inline constexpr size_t kLeastRows = 120;     // of a table whose circles are looked for: 128, and some left out
inline constexpr size_t kLeastPartRows = 64;  // of a part that is looked at by itself
inline constexpr double kLeastTurns = 1;      // in each half of the positions: under it a slow path is no circle
inline constexpr double kMostVariation =
    0.35;  // of the radius in each half; of two independent Gaussian ones it is .52
inline constexpr double kMostPaceChange = 1.25;   // from one half to the other: a chirp has more
inline constexpr double kMostRadiusChange = 1.5;  // likewise: a spiral has more
inline constexpr double kLeastCoherence = 0.5;    // of the phase over a turn, in each half: a wandering phase has less
inline constexpr double kMostOf = 0.5;            // of the variance, held out: the table is circles
inline constexpr double kLittle = 0.1;            // less than this: it is none
}  // namespace circle_rule

/// What a plane lacks of a circle.
enum class CircleFault { few_turns, radius_varies, phase_strays, radius_changes, pace_changes };

/// The first fault of a plane, by how its two halves of rows move in it; nothing of a circle.
[[nodiscard]] std::optional<CircleFault> circle_fault(const TurningPlane& half, const TurningPlane& other_half);

/// A plane of the motion of all rows, and what it lacks of a circle.
struct FoundPlane {
  TurningPlane plane;
  std::optional<CircleFault> fault;
};

/// The circles of a table, by the motion of one step.
struct Circles {
  /// Planes of one map that was fitted to all rows: those that are circles, slowest first. None where little is held
  /// out: any smooth path has some in sample.
  std::vector<TurningPlane> circles = {};
  double fitted_share = 0;  ///< of the variance of all rows in them
  /// The share of one half's energy in circles that the other half found: of the first half's, of the second's. The
  /// energy is about the mean of all rows: what lies between the halves is no circle.
  std::array<double, 2> held_out = {};

  [[nodiscard]] double share() const { return (held_out[0] + held_out[1]) / 2; }
};

/// @return none where a half has fewer than three rows, or rows that are all equal
[[nodiscard]] Circles circles_of(const PlacedRows& rows);

/// All planes of the map that was fitted to all rows, slowest first; those that are no circles hold at least so much of
/// the variance. @pre circles_of() can look at them
[[nodiscard]] std::vector<FoundPlane> planes_of(const PlacedRows& rows, double least_share);

}  // namespace summand::lab
