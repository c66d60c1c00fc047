#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/statistics/circles.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab::circle_readers {

inline constexpr size_t kMostCircles = 6;  // those with most of the variance are looked at

/// A plane of the position rows, in which something is changed.
struct PositionPlane {
  Table axes;         ///< [2, hidden], orthonormal; the first points from the mean row to the first ordinary row
  double factor = 1;  ///< times which a change is made, so that it is as large as another plane's
};

/// A table of positions whose rows are changed in one plane at a time. Row 0, the last and rows that stand out stay as
/// they are in every change; the others are the ordinary ones.
class CirclePositions {
 public:
  explicit CirclePositions(Table table);

  /// Slowest first.
  [[nodiscard]] const std::vector<TurningPlane>& circles() const { return circles_; }
  [[nodiscard]] const std::vector<PositionPlane>& planes() const { return planes_; }
  [[nodiscard]] const std::vector<size_t>& kept() const { return kept_; }

  /// Held at its mean: every row loses what it has in the plane, beside the mean of the rows in use. A constant that
  /// all of these share is no order, and stays.
  /// @param in_use  rows 0 … in_use − 1 are read by the texts @pre one of them is ordinary, here and below
  [[nodiscard]] Table stopped(std::span<const PositionPlane> planes, size_t in_use) const;
  /// Turned the other way round: the first ordinary row stays where it is, every angle from it changes its sign.
  [[nodiscard]] Table reversed(const PositionPlane& plane) const;
  /// Every angle from the first ordinary row is doubled.
  [[nodiscard]] Table sped_up(const PositionPlane& plane) const;
  /// Every ordinary row the mean of those in use: no order is left.
  [[nodiscard]] Table without_order(size_t in_use) const;

  /// The circles' span cut into as many planes at random, at right angles to each other; plane i is changed as much as
  /// circle i is when it is stopped.
  /// @param cut  which draw
  [[nodiscard]] std::vector<PositionPlane> random_planes(uint64_t seed, size_t cut) const;

 private:
  [[nodiscard]] PositionPlane plane_along(const Table& axes) const;
  /// @param change  [ordinary rows, hidden], that is added
  [[nodiscard]] Table with(const Table& change) const;
  /// The rows' mean over those in use. @param rows  [ordinary rows, columns]
  [[nodiscard]] Eigen::RowVectorXd mean_in_use(const Table& rows, size_t in_use) const;

  Table table_;
  std::vector<size_t> kept_;
  std::vector<Eigen::Index> ordinary_;
  Table deviations_;  // [ordinary rows, hidden], from their mean
  std::vector<TurningPlane> circles_;
  std::vector<PositionPlane> planes_;
};

}  // namespace summand::lab::circle_readers
