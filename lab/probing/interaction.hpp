#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"
#include "reference/bert.hpp"
#include "reference/heads.hpp"

namespace summand::lab {

/// A direction in which the input of one token moves.
struct Step {
  size_t token = 0;
  Vector along;  ///< [hidden]
};

/// The rows of a table as directions of one token.
[[nodiscard]] std::vector<Step> steps_along(const Table& rows, size_t token);

/// Where H is taken between two tokens of a text: texts of this length, and these two places.
inline constexpr size_t kPairTokens = 10;
inline constexpr size_t kPairPlaces[]{3, 6};

/// Exact derivatives of functions f_1 … f_F of the sums of a text.
struct Derivatives {
  Table first;               ///< [functions, steps of the first order]: Df[u_k]
  std::vector<Table> mixed;  ///< one [first order, second order] per function: D²f[u_k, v_l]
};

/// A text at the point about which document 004 expands.
struct ExpandedText {
  model::Batch batch;  ///< of this text alone
  Table sum;           ///< [tokens, hidden], before normalisation: every position row is the mean one
  Table moves;         ///< [tokens, hidden]: each token's own position row less the mean one
  int32_t label = 0;   ///< what stood at the masked token, where one is
};

/// A text and the directions of both orders along which it is derived.
struct DirectedText {
  const ExpandedText& text;
  std::vector<Step> first;
  std::vector<Step> second;
};

/// The functions f of document 004 in double precision, with derivatives by dual numbers: the mean of the last hidden
/// states along 16 fixed random directions, and, where there is a masked-language head, the loss of one masked token.
/// Source: Su 2021, kexue.fm/archives/8231, section "Taylor expansion"; the point as the ledger's section 1a has it
class Interaction {
 public:
  static constexpr size_t kDirections = 16;

  /// @pre there is a model, whose composition is the sum
  Interaction(const Subject& subject, const Conditions& conditions);

  /// 16, or 17 with the loss.
  [[nodiscard]] size_t functions() const;
  /// Texts of the corpus, cut to `length` tokens, the last one [SEP] as before; fewer where the corpus has fewer so
  /// long. With a masked-language head the token in the middle is masked.
  [[nodiscard]] std::vector<ExpandedText> texts(size_t count, size_t length) const;
  /// @param sums  [tokens, hidden] each @return [functions] of each
  [[nodiscard]] std::vector<Vector> values(const ExpandedText& text, std::span<const Table> sums) const;
  /// At the texts' own points.
  /// @return one for each of them
  [[nodiscard]] std::vector<Derivatives> derivatives(std::span<const DirectedText> texts) const;

 private:
  /// Of up to 8 directions of each order, from the first ones given on.
  void derive(const DirectedText& of, size_t first_from, size_t second_from, Derivatives& result) const;
  template <class Scalar>
  [[nodiscard]] std::vector<Scalar> functions_of(const reference::Bert<Scalar>& bert,
                                                 const reference::Heads<Scalar>& heads, const ExpandedText& text,
                                                 const std::vector<Scalar>& sum) const;

  const Subject& subject_;
  const Conditions& conditions_;
  bool has_loss_ = false;
  Table directions_;  ///< [16, hidden], orthonormal where the model is as wide
  Vector mean_position_;
  reference::Bert<double> plain_;
  reference::Heads<double> plain_heads_;
  reference::Bert<reference::MixedDual> mixed_;
  reference::Heads<reference::MixedDual> mixed_heads_;
};

/// Why there is nothing to expand: no sum, or no text of so many tokens.
[[nodiscard]] std::optional<LocalizedText> lacks_interaction(const Subject& subject, size_t length);

}  // namespace summand::lab
