#pragma once

#include "lab/statistics/interval.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Means of many quantities over the same items, and intervals that hold all of them at once in 95 of 100 cases: who
/// picks the largest of them afterwards may still trust its interval.
struct SimultaneousMeans {
  Vector mean;       ///< [quantities]
  Vector error;      ///< [quantities], standard errors; 0 where a quantity is the same of every item
  double bound = 0;  ///< how many standard errors an interval reaches to either side

  [[nodiscard]] Interval interval(Eigen::Index quantity) const {
    const double reach = bound * error(quantity);
    return {.low = mean(quantity) - reach, .high = mean(quantity) + reach};
  }
};

/// The bound is what the largest studentised mean of all quantities stays under in 95 % of draws; a draw flips the
/// signs of some items' deviations from the mean, of all quantities alike.
/// @param samples  [items, quantities]
/// @throws UsageError with fewer than two items, no quantity or no draw
/// Source: sign flips, Liu 1988; the largest of many, Romano & Wolf 2005
[[nodiscard]] SimultaneousMeans simultaneous_means(const Table& samples, const Draws& draws);

}  // namespace summand::lab
