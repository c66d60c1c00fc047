#pragma once

#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Every experiment, in the report's order.
[[nodiscard]] const std::vector<Experiment>& experiments();

// One by one, each from the folder of its name.

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
[[nodiscard]] Experiment expansion_experiment();
[[nodiscard]] Experiment continuity_experiment();

// Beyond the documents.
[[nodiscard]] Experiment clocks_experiment();
[[nodiscard]] Experiment circle_readers_experiment();

// The three parts of the sum (documents 000, 001, 003, 004).
[[nodiscard]] Experiment norms_experiment();
[[nodiscard]] Experiment variance_shares_experiment();
[[nodiscard]] Experiment subspaces_experiment();
[[nodiscard]] Experiment decoding_experiment();
[[nodiscard]] Experiment folding_experiment();
[[nodiscard]] Experiment probes_experiment();
[[nodiscard]] Experiment one_hot_experiment();

// The model around the tables (documents 001 and 004).
[[nodiscard]] Experiment symmetry_experiment();
[[nodiscard]] Experiment attention_cost_experiment();
[[nodiscard]] Experiment tied_output_experiment();
[[nodiscard]] Experiment non_linearity_experiment();

// Attention and [CLS] (document 001).
[[nodiscard]] Experiment self_match_experiment();
[[nodiscard]] Experiment score_scale_experiment();
[[nodiscard]] Experiment first_token_experiment();
[[nodiscard]] Experiment identical_words_experiment();

// What the model makes of changed parts (documents 000 and 004).
[[nodiscard]] Experiment interventions_experiment();
[[nodiscard]] Experiment position_strength_experiment();
[[nodiscard]] Experiment removed_components_experiment();

// Texts longer than the table (document 001).
[[nodiscard]] Experiment beyond_the_table_experiment();
[[nodiscard]] Experiment long_texts_experiment();

}  // namespace summand::lab
