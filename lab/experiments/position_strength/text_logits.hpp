#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "lab/experiments/position_strength/logit_groups.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/statistics/table.hpp"
#include "model/batch.hpp"

namespace summand::lab {

/// What the first layer's logits of one text are made of, the mean or the sum over heads.
struct TextLogits {
  std::vector<double> moved;  ///< [strengths], divergence of the attention with that strength, in nats
  double uniform = 0;         ///< divergence of attention that is alike everywhere: the scale of the others
  TermShares shares;
  std::array<double, kLogitGroups.size()> zeroed{};  ///< divergence where the group's terms are 0
  double token_norms = 0;                            ///< squared norms of the parts of normalised inputs
  double position_norms = 0;
  /// Kendall's τ over the text's tokens: the norm of the token's part, and how much it moves logits as a key.
  double norm_against_contribution = 0;
  double others_norm_against_contribution = 0;  ///< the same with the norm of the token half a text on
};

/// Normalised inputs by the strength of positions. At 1 they are what the strengths are compared to.
using StrengthInputs = std::function<PartTables(double strength)>;

[[nodiscard]] TextLogits text_logits(const FirstLogits& logits, const StrengthInputs& inputs,
                                     std::span<const double> strengths);

/// How strength enters: the model's own way, or one that stands beside it.
enum class StrengthOf {
  model,        ///< raw position rows times the strength, and the normalisation's σ follows
  fixed_sigma,  ///< σ stays: position terms are bilinear in the strength
  sigma_alone,  ///< σ follows, queries and keys see no positions
  turned,       ///< as fixed_sigma, the positions' parts turned at random: as long, and strange to the weights
  blind,        ///< nothing follows: queries and keys see no positions, σ stays
};

/// @param turn  [hidden, hidden], a rotation; for `turned` alone
[[nodiscard]] StrengthInputs strength_inputs(const FirstLogits& logits, const model::Batch& batch, size_t text,
                                             StrengthOf of, const Table& turn);

}  // namespace summand::lab
