#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lab/probing/attention.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// How unevenly something is shared: 0 if all have the same, (n − 1)/n if one has all; 0 where there is nothing.
/// @pre no value is below 0. Source: Gini 1912; mean absolute difference over twice the mean
[[nodiscard]] double gini(std::span<const double> values);

/// How much of every input token is in every final vector, by two ways of counting: [length, length], row i is what
/// final vector i is made of, rows sum to 1.
struct FlowShares {
  /// ½·attention + ½·identity, mean over heads, multiplied over layers. Source: Abnar & Zuidema 2020, section 3
  Table rollout;
  /// ‖Σ_h α_ij v_j W_O + δ_ij x_i‖ over its sum over j, multiplied over layers; v_j is a value less the mean of the
  /// text's values. What all values share goes to every vector alike, as a row's weights sum to 1: it is no source's
  /// share, and a checkpoint may have it in the output's bias instead. x_i is without the bias of the normalisation it
  /// comes from, for the same reason. The norms are of vectors less their mean over the coordinates, which the
  /// normalisation behind takes out. Biases of the output, normalisations and feed-forward blocks are left out.
  /// Source: Kobayashi et al. 2020, section 3; 2021, section 2 (the residual); Ba et al. 2016, equation 4; the means
  /// own
  Table norms;
};

/// What a layer's shares need of the checkpoint.
struct FlowMaps {
  Table output;        ///< W_O [hidden, hidden]
  Vector bias_before;  ///< [hidden], of the normalisation that the layer's input comes from
};
/// Of every layer. @pre there is a model
[[nodiscard]] std::vector<FlowMaps> flow_maps(const Subject& subject);

/// @pre the states were kept
[[nodiscard]] FlowShares flow_shares(const TextAttention& text, const std::vector<FlowMaps>& maps);

/// What is read off one matrix of shares.
struct ShareSummary {
  double first_gini = 0;   ///< of the ordinary words' shares in the first token's vector
  double word_gini = 0;    ///< the same in an ordinary word's vector, its own share among them; mean over words
  double one_gini = 0;     ///< of the one word that was drawn
  double mean_gini = 0;    ///< in the mean of all words' vectors
  double first_own = 0;    ///< the first token's own share in its vector
  double word_own = 0;     ///< a word's own share in its vector, mean
  double one_own = 0;      ///< the same of the one word that was drawn
  double first_words = 0;  ///< all ordinary words' shares in the first token's vector
};

/// @param words  at least 2 @param drawn  one of them
[[nodiscard]] ShareSummary summary_of(const Table& shares, const std::vector<Eigen::Index>& words, Eigen::Index drawn);

}  // namespace summand::lab
