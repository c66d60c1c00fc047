#pragma once

#include <cstddef>

#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

namespace distance {

/// How often each is measured: its folds or pairs are drawn anew.
struct Repetitions {
  size_t metrics = 3;  ///< and of every table beside
  size_t order = 10;   ///< of the table
};
[[nodiscard]] Repetitions repetitions_of(const Conditions& conditions);

}  // namespace distance

/// Adds what Wang & Chen 2020 report, and the same with blocks held out; null white noise, control the sinusoid. The
/// same of a random walk stands behind each.
/// @param table  all positions
void add_published_metrics(Numbers& numbers, const Table& table, const Conditions& conditions);

}  // namespace summand::lab
