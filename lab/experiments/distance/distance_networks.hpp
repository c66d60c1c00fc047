#pragma once

#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/distance/distance_grid.hpp"

namespace summand::lab {

/// E8: does a network learn distances? The claim says no, so that its null is the sinusoid and its control white noise.
[[nodiscard]] Numbers distance_network_numbers(const Grid& grid, const Conditions& conditions);
[[nodiscard]] Rule distance_network_rule();

}  // namespace summand::lab
