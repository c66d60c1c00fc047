#include "lab/experiments/experiments.hpp"

namespace summand::lab {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list{
      initialisation_experiment(),
      tails_experiment(),
      spectrum_experiment(),
      path_experiment(),
      first_row_experiment(),
      oscillation_experiment(),
      distance_experiment(),
      relative_position_experiment(),
      shift_readings_experiment(),
      kernel_experiment(),
      clocks_experiment(),
      circle_readers_experiment(),
      toeplitz_experiment(),
      covariance_experiment(),
      expansion_experiment(),
      continuity_experiment(),
      norms_experiment(),
      variance_shares_experiment(),
      subspaces_experiment(),
      one_hot_experiment(),
      decoding_experiment(),
      folding_experiment(),
      probes_experiment(),
      interventions_experiment(),
      position_strength_experiment(),
      removed_components_experiment(),
      symmetry_experiment(),
      identical_words_experiment(),
      self_match_experiment(),
      score_scale_experiment(),
      first_token_experiment(),
      attention_cost_experiment(),
      tied_output_experiment(),
      non_linearity_experiment(),
      beyond_the_table_experiment(),
      long_texts_experiment(),
  };
  return list;
}

}  // namespace summand::lab
