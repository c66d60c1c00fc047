#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "model/enum_names.hpp"

namespace summand::train {

/// How the tokens that a model is to predict are drawn.
enum class Selection {
  independent,  ///< each by itself, at the rate
  exact,        ///< as many of a sequence as the rate says, rounded, and one at least: BERT
  windows,      ///< one token of each window, windows side by side; the rate is one over their width. Of units of
                ///< several tokens, those whose first token it is: at most one that begins in a window
};
[[nodiscard]] std::span<const model::EnumName<Selection>> enum_names(Selection);

/// What is drawn at once.
enum class MaskUnit {
  token,
  word,    ///< a piece with those behind it that continue the word (##)
  spaced,  ///< what spaces separate in the text: words of Chinese that was divided by spaces
};
[[nodiscard]] std::span<const model::EnumName<MaskUnit>> enum_names(MaskUnit);

/// Which tokens are hidden, and from which a model learns.
struct MaskRules {
  Selection selection = Selection::exact;
  MaskUnit unit = MaskUnit::token;
  double predict_rate = 0.15;  ///< tokens that are predicted, of all
  /// Tokens that are corrupted, of all. More than are predicted: the others are corrupted and not asked for. Fewer, and
  /// the predicted ones a whole multiple: a sequence comes that many times, each time with a part of them corrupted
  /// and predicted, so that every prediction is of a corrupted token.
  /// Source: Wettig et al. 2023, "Should you mask 15% in masked language modeling?", section 5
  double corrupt_rate = 0.15;
  size_t window = 7;          ///< tokens, with Selection::windows; both rates are then 1 / window
  double mask_share = 0.8;    ///< of the corrupted tokens, those that become [MASK]
  double random_share = 0.1;  ///< those that become any token of the vocabulary; the others stay
};

/// What is wrong, as "--corrupt-rate: expected …, got …"; empty where nothing is.
[[nodiscard]] std::string validation_error(const MaskRules& rules);

/// How many times a sequence comes, 1 unless fewer tokens are corrupted than predicted.
[[nodiscard]] size_t masked_copies(const MaskRules& rules);

/// What becomes of the tokens of a sequence.
struct Masked {
  std::vector<uint8_t> predicted;  ///< [tokens]
  std::vector<uint8_t> corrupted;  ///< [tokens]
};

/// Draws what is predicted and corrupted. Every unit has one draw, whatever the rates: of single tokens, what a low
/// rate chooses a higher one chooses too, and two arms of a comparison differ in what they have to.
/// @param unit_starts  [tokens], 1 where a unit begins; special tokens are no part of it
/// @param copy  below masked_copies(rules)
[[nodiscard]] Masked masked(std::span<const uint8_t> unit_starts, const MaskRules& rules, size_t copy,
                            RandomStream& stream);

/// What a corrupted token becomes.
/// @param mask  the id of [MASK]
/// @param ordinary  ids of all tokens but special ones
[[nodiscard]] int32_t corrupted(int32_t id, int32_t mask, std::span<const int32_t> ordinary, const MaskRules& rules,
                                RandomStream& stream);

}  // namespace summand::train
