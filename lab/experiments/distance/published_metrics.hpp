#pragma once

#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Adds what Wang & Chen 2020 report, and the same with blocks held out; null white noise, control the sinusoid. The
/// same of a random walk stands behind each.
/// @param table  all positions
void add_published_metrics(Numbers& numbers, const Table& table, const Conditions& conditions);

}  // namespace summand::lab
