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

// The three parts of the sum (documents 000, 001, 003, 004).
[[nodiscard]] Experiment norms_experiment();
[[nodiscard]] Experiment variance_shares_experiment();
[[nodiscard]] Experiment subspaces_experiment();
[[nodiscard]] Experiment decoding_experiment();
[[nodiscard]] Experiment folding_experiment();
[[nodiscard]] Experiment probes_experiment();

}  // namespace summand::lab
