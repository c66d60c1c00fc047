#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// The smallest affine change of some rows after which no linear classifier tells their classes better than a constant
/// does: all classes then have the same mean. Directions in which the rows do not vary are left as they are.
/// Source: Belrose et al. 2023, theorem 4.3 (LEACE)
class LinearErasure {
 public:
  /// @param inputs  [rows, columns]
  /// @param labels  of every row, 0 … classes − 1
  /// @throws UsageError if labels are missing or out of range, or there is no row
  LinearErasure(const Table& inputs, std::span<const int32_t> labels, size_t classes);

  /// Of any rows of that width.
  [[nodiscard]] Table erased(const Table& rows) const;
  /// How many directions are taken: at most one less than the classes that occur.
  [[nodiscard]] size_t directions() const { return static_cast<size_t>(taken_.cols()); }

 private:
  Vector mean_;            ///< [columns]
  Table read_;             ///< [directions, columns]: what is read of a row less the mean
  Eigen::MatrixXd taken_;  ///< [columns, directions]: what is taken from it for that
};

}  // namespace summand::lab
