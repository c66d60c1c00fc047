#pragma once

#include <string>

#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/distance/distance_grid.hpp"

namespace summand::lab {

namespace distance {

/// What is read off a fit.
struct Measure {
  const char* name;
  double Scores::*of;
};
inline constexpr Measure kR2{"r2", &Scores::r2};
inline constexpr Measure kSquaredError{"mse", &Scores::mse};
inline constexpr Measure kAbsoluteError{"mae", &Scores::mae};

inline const Cell kTreesOnPairs{"table", Inputs::components, PairMethod::trees, HeldOut::pairs};
inline const Cell kTreesOnRandomWalk{"random_walk", Inputs::components, PairMethod::trees, HeldOut::pairs};

/// A fit's number: "trees_r2_pairs", "raw_trees_mse_pairs", "random_walk_trees_r2_pairs".
[[nodiscard]] std::string fit_name(const Cell& cell, const Measure& measure);

}  // namespace distance

/// E9: distances by linear regression and by trees, from 18 components and from the raw table.
[[nodiscard]] Numbers distance_regression_numbers(const Grid& grid, const DistanceTables& tables,
                                                  const PairLimits& limits, const Conditions& conditions);
[[nodiscard]] Rule distance_regression_rule();

}  // namespace summand::lab
