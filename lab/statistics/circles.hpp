#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/step_rotation.hpp"

namespace summand::lab {

/// What makes a plane of the step rotation a circle, and what a table has to have of them: calibrated on planted
/// circles and on nulls.
namespace circle_rule {
inline constexpr size_t kLeastRows = 128;                 // of a table whose circles are looked for
inline constexpr size_t kLeastPartRows = kLeastRows / 2;  // of a part that is looked at by itself
inline constexpr size_t kMostComponents = 24;             // at most twelve circles: a few
inline constexpr double kLeastTurns = 2;        // of the positions looked at: under it a slow path is no circle
inline constexpr double kOnce = 0.9;            // turns; from here on, a round path that is no circle is a slow one
inline constexpr double kMostVariation = 0.3;   // of the radius; of two independent normal coordinates it is .52
inline constexpr double kMostDrift = 0.1;       // of the phase, as a share of the turns
inline constexpr size_t kMostStretches = 4;     // of positions, of a turn or more, in each of which the pace is taken,
inline constexpr double kMostPaceChange = 1.5;  // and the fastest is at most so many times the slowest
inline constexpr double kMostRadiusChange =
    1.65;  // the mean radius; 1.67 is that of a spiral that doubles, as E4 counts
inline constexpr double kMostPaceVariation = 0.25;  // of the pace from turn to turn, as a share of its mean
inline constexpr size_t kLeastTurnRows = 8;         // of a stretch that is looked at turn by turn
inline constexpr double kNeighbourhood = 1.5;       // from pace / 1.5 to 1.5 · pace, one turn at least to either side,
inline constexpr double kLeastOwn = 0.7;        // so much of the energy there is the plane's: the line stands alone,
inline constexpr double kMostDifference = 0.1;  // and is centred within so much of the pace
inline constexpr double kNearBest = 0.01;       // of the variance: fewer components are taken for so little
inline constexpr double kMostOf = 0.5;          // of the variance in circles, of the whole and of every part
}  // namespace circle_rule

/// A plane in which the rows go round, alone at its frequency.
struct Circle {
  TurningPlane plane = {};
  double line = 0;  ///< centre of the spectrum's line, in turns
  double own = 0;   ///< share of the energy about it that is the plane's
};

/// The circles of a table, in the number of components that shows most of them.
struct Circles {
  std::vector<Circle> circles = {};  ///< slowest first
  size_t components = 0;             ///< 0 without a circle
  double share = 0;                  ///< of the variance, all together
  double turning = 0;                ///< of planes that go round, alone at their frequency or not, in any number of
                                     ///< components: the most there is
  double by_turns = 0;               ///< of planes that do so turn by turn, at whatever radius and pace, likewise
  double slow = 0;                   ///< of the largest plane that goes round once and not twice, likewise
};

/// What a plane lacks of a circle.
enum class CircleFault { few_turns, radius_varies, phase_strays, pace_changes, radius_changes, not_alone };

/// The first fault that a plane has; nothing of a circle.
/// @param step  of these rows, with circle_rule::kMostComponents: the plane is one of its own
[[nodiscard]] std::optional<CircleFault> circle_fault(const TurningPlane& plane, const PlacedRows& rows,
                                                      const StepRotation& step);

/// @param step  as above
[[nodiscard]] Circles circles_of(const PlacedRows& rows, const StepRotation& step);
/// @throws UsageError with fewer than two rows, or rows that are all equal
[[nodiscard]] Circles circles_of(const PlacedRows& rows);

}  // namespace summand::lab
