#pragma once

#include "lab/experiment.hpp"

namespace summand::lab {

// The experiments, one per file of this folder, in the report's order.

// The table itself (document 002).
[[nodiscard]] Experiment initialisation_experiment();
[[nodiscard]] Experiment tails_experiment();
[[nodiscard]] Experiment spectrum_experiment();
[[nodiscard]] Experiment path_experiment();
[[nodiscard]] Experiment first_row_experiment();
[[nodiscard]] Experiment oscillation_experiment();

}  // namespace summand::lab
