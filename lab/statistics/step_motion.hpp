#pragma once

#include <cstddef>
#include <vector>

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"
#include "lab/statistics/turning_plane.hpp"

namespace summand::lab {

/// One step as one linear map: A is the least-squares map of each row's leading principal components to those of the
/// row one position further. A pair of complex eigenvalues of A is a plane that turns; the angle is its pace.
/// The components hold 95 % of the variance, and are a third of the rows at most, so that A has data enough.
/// Source: dynamic mode decomposition, Schmid 2010; multi-channel ESPRIT, Roy & Kailath 1989
class StepMotion {
 public:
  static constexpr double kVariance = 0.95;
  static constexpr size_t kRowsPerComponent = 3;

  /// @param rows  three or more
  /// @throws UsageError with fewer, with rows that are all equal, or without neighbours
  explicit StepMotion(const PlacedRows& rows);

  /// How many planes turn.
  [[nodiscard]] size_t planes() const { return angles_.size(); }

  /// How rows move in a plane: those that the map was fitted to, or others of the same columns.
  /// @param plane  0 … planes() − 1, slowest angle first
  [[nodiscard]] TurningPlane plane(size_t plane, const PlacedRows& rows) const;

 private:
  std::vector<double> angles_;             // radians a step, rising
  std::vector<Eigen::VectorXcd> readers_;  // [columns]: deviations times it are a row's place in the plane
  std::vector<Table> axes_;                // [2, columns]
};

/// @param axes  one plane or more, each [2, columns] @return orthonormal rows
[[nodiscard]] Table span_of(const std::vector<Table>& axes);

/// The energy of rows about their mean that lies in the span of all these axes together.
/// @param axes  each [2, columns] @return 0 without any
[[nodiscard]] double energy_in_span(const std::vector<Table>& axes, const Table& rows);

}  // namespace summand::lab
