#pragma once

#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/distance/distance_grid.hpp"

namespace summand::lab {

/// E9: distances by linear regression and by trees, from 18 components and from the raw table.
[[nodiscard]] Numbers distance_regression_numbers(const Grid& grid, const DistanceTables& tables,
                                                  const PairLimits& limits, const Conditions& conditions);
[[nodiscard]] Rule distance_regression_rule();

}  // namespace summand::lab
