#pragma once

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// y = x · weights + offset, of one target or several side by side.
struct LinearModel {
  Table weights;  ///< [columns, targets]
  Vector offset;  ///< [targets]

  /// @return [rows, targets]
  [[nodiscard]] Table predict(const Table& inputs) const;
};

/// Least squares with an offset; where many weights fit equally, those of the smallest norm. Directions below 1e-10 of
/// the largest count as absent.
/// @param targets  [rows, targets]
/// @throws UsageError if the rows differ in number or there is none
[[nodiscard]] LinearModel fit_least_squares(const Table& inputs, const Table& targets);

}  // namespace summand::lab
