#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// A plane that a rotation turns within itself, and how the rows of a table move in it.
struct TurningPlane {
  double angle = 0;             ///< the rotation's, in radians a step: above 0, below π
  double pace = 0;              ///< the rows' own mean, in radians a step: the slope of their unwrapped phase
  double turns = 0;             ///< at that pace from the first position to the last, both included
  double drift = 0;             ///< standard deviation of the phase about that slope's line, in turns
  double radius = 0;            ///< mean distance from the mean row, in the plane
  double radius_variation = 0;  ///< standard deviation of that distance, as a share of its mean
  double share = 0;             ///< of the table's variance
  Table axes = {};              ///< [components, 2], orthonormal, in the principal components
  Table path = {};              ///< [kept, 2], where each row lies in it; turns from the first axis to the second
};

/// The one rotation that takes each row, in the first principal components, to the row one position further:
/// orthogonal Procrustes over all pairs of neighbouring positions. Its eigenvalues come in pairs e^±iθ, each with a
/// plane that it turns by θ; what is left over it keeps or mirrors.
/// Source: Schönemann 1966; planes by the real Schur form, Golub & Van Loan 2013, section 7.4
class StepRotation {
 public:
  /// @param most  principal components that are ever asked for; fewer where the rows have a smaller rank
  /// @throws UsageError with fewer than two rows, or rows that are all equal
  StepRotation(const PlacedRows& rows, size_t most);

  /// How many components there are.
  [[nodiscard]] size_t components() const { return static_cast<size_t>(scores_.cols()); }

  /// The rows, less their mean, in their principal components, the one of largest variance first.
  /// @return [kept, components]
  [[nodiscard]] const Table& scores() const { return scores_; }

  /// A plane's two axes among the table's columns. @return [2, columns], orthonormal rows
  [[nodiscard]] Table directions(const TurningPlane& plane) const;

  /// The planes, slowest angle first. @param count  components that turn, 1 … components()
  /// @throws UsageError if there are fewer, or no two rows are neighbours
  [[nodiscard]] std::vector<TurningPlane> planes(size_t count) const;

  /// 1 − SSE / SSE of persistence, which leaves every row where it is: of each of so many stretches of positions the
  /// rotation is fitted on pairs of rows outside and judged on pairs within; pairs across an end serve neither.
  /// @return at most 1
  /// @throws UsageError as above, or if a stretch leaves fewer than `count` pairs to fit on, or all rows stand still
  [[nodiscard]] double skill(size_t count, size_t stretches) const;

 private:
  [[nodiscard]] TurningPlane plane(const Table& axes, double angle) const;

  std::vector<size_t> at_;
  std::vector<Eigen::Index> steps_;
  Table scores_;
  Table loadings_;
  double energy_ = 0;  ///< of all rows less their mean, in all directions
};

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

/// Standard deviation of the phase about that line, in turns. @pre two rows or more
[[nodiscard]] double phase_drift_between(const Vector& advances, const std::vector<size_t>& at, size_t first,
                                         size_t end);

}  // namespace summand::lab
