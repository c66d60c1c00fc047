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

/// Which rows a strength of the positions changes.
enum class StrengthenedRows {
  all_but_row_0,  ///< [CLS] always stands at row 0: what it has there is a constant
  all,
};

/// Every such row the mean of those rows plus so much of its deviation from it: W + c with P − c is the same model, so
/// that a row's length about 0 says nothing.
[[nodiscard]] Table strengthened(const Table& positions, StrengthenedRows rows, double strength);

/// How strength enters: the model's own way, or a reference's.
enum class StrengthOf {
  model,        ///< position rows are strengthened, and the normalisation's σ follows
  fixed_sigma,  ///< σ stays: position terms are bilinear in the strength
  sigma_alone,  ///< σ follows, queries and keys see the mean row alone
  turned,       ///< as fixed_sigma, the positions' parts turned at random: as long, and strange to the weights
  blind,        ///< nothing follows: queries and keys see the mean row alone, σ stays
};

/// Normalised inputs by the strength of positions. At 1 they are what the strengths are compared to.
using StrengthInputs = std::function<PartTables(double strength)>;

/// The same for some texts and strengths: the tables of positions are made once.
class StrengthTables {
 public:
  StrengthTables(const Table& positions, StrengthenedRows rows, std::span<const double> strengths);

  /// @param strength  1, or one of those asked for
  [[nodiscard]] const Table& at(double strength) const;
  /// Every row the mean row.
  [[nodiscard]] const Table& mean_rows() const { return mean_rows_; }

 private:
  std::vector<double> strengths_;
  std::vector<Table> tables_;
  Table mean_rows_;
};

/// @param tables  outlives what is returned, as logits and batch do
/// @param turn    [hidden, hidden], a rotation; for `turned` alone
[[nodiscard]] StrengthInputs strength_inputs(const FirstLogits& logits, const model::Batch& batch, size_t text,
                                             const StrengthTables& tables, StrengthOf of, const Table& turn);

/// What attention among some tokens of a text does, the mean or the sum over heads.
struct TokensLogits {
  std::vector<double> moved;  ///< [strengths], divergence of the attention with that strength, in nats
  double uniform = 0;         ///< divergence of attention that is alike everywhere: the scale of the others
  TermShares shares;
  double token_norms = 0;  ///< squared norms of the parts of normalised inputs
  double position_norms = 0;
};

/// What the first layer's logits of one text are made of.
struct TextLogits {
  TokensLogits all;
  TokensLogits words;                                ///< without special tokens, as queries and as keys
  std::array<double, kLogitGroups.size()> zeroed{};  ///< divergence where the group's terms are 0, all tokens
  /// Kendall's τ over the text's tokens: the norm of the token's part, and how much it moves logits as a key.
  double norm_against_contribution = 0;
  double others_norm_against_contribution = 0;  ///< the same with the norm of the token half a text on
};

/// @param words  the text's tokens that are not special
[[nodiscard]] TextLogits text_logits(const FirstLogits& logits, const StrengthInputs& inputs,
                                     std::span<const double> strengths, const std::vector<Eigen::Index>& words);

}  // namespace summand::lab
