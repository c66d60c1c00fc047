#pragma once

#include <cstddef>

#include "lab/core/experiment.hpp"
#include "lab/experiments/removed_components/piece_bench.hpp"

namespace summand::lab {

/// What the table's first components do to the output, one removed at a time: numbers of 4.10 and a figure, between
/// removing next to nothing and removing all.
/// @param most  components
void measure_components(const PieceBench& bench, size_t most, const Conditions& conditions, Findings& findings);

/// The same of octaves of periods.
void measure_bands(const PieceBench& bench, Findings& findings);

}  // namespace summand::lab
