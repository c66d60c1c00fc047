#pragma once

#include <cstddef>

#include "lab/core/experiment.hpp"
#include "lab/experiments/removed_components/piece_bench.hpp"

namespace summand::lab {

namespace removed_components {
/// Times that shares are dealt anew, for a null.
inline constexpr size_t kFewOrders = 50;  // in a quick run
inline constexpr size_t kManyOrders = 500;
}  // namespace removed_components

/// What the rows' first components do to the output, one removed at a time: numbers of 4.10 and a figure, between
/// removing next to nothing and removing all.
/// @param most  components
void measure_components(const PieceBench& bench, size_t most, const Conditions& conditions, Findings& findings);

/// The same of octaves of periods.
/// @param all_rows  the same table with no row kept as it is
void measure_bands(const PieceBench& bench, const PieceBench& all_rows, Findings& findings);

}  // namespace summand::lab
