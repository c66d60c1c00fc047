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
[[nodiscard]] Experiment distance_experiment();

// Relative position (documents 000, 003 and 004).
[[nodiscard]] Experiment relative_position_experiment();
[[nodiscard]] Experiment shift_readings_experiment();
[[nodiscard]] Experiment kernel_experiment();
[[nodiscard]] Experiment toeplitz_experiment();
[[nodiscard]] Experiment covariance_experiment();
[[nodiscard]] Experiment continuity_experiment();

// The three parts of the sum (documents 000, 001, 003, 004).
[[nodiscard]] Experiment norms_experiment();
[[nodiscard]] Experiment variance_shares_experiment();
[[nodiscard]] Experiment subspaces_experiment();
[[nodiscard]] Experiment decoding_experiment();
[[nodiscard]] Experiment folding_experiment();
[[nodiscard]] Experiment probes_experiment();

// Texts longer than the table (document 001).
[[nodiscard]] Experiment beyond_the_table_experiment();
[[nodiscard]] Experiment long_texts_experiment();

}  // namespace summand::lab
