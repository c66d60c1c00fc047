#pragma once

#include "lab/plant/planted_tables.hpp"

namespace summand::lab {

/// What claims have to be true of planted circles, by the definitions in lab/experiments/clocks/words.json and in
/// lab/experiments/path/words.json. False says nothing: circles may be found all the same.
struct CirclesToFind {
  bool clocks = false;  ///< X1: circles that have to be found hold most of the variance
  bool ladder = false;  ///< X2: so is every circle in the whole table, and their paces are more even than chance
  bool ring = false;    ///< E4: one circle holds most of the variance of the first components
};

/// @param kind  a ring or clocks
[[nodiscard]] CirclesToFind circles_to_find(PlantedTable kind, const PlantedTableSettings& settings);

/// How many of planted clocks go round less often than X1 asks of a circle, once in each half.
[[nodiscard]] size_t slow_clocks(const PlantedTableSettings& settings);

}  // namespace summand::lab
