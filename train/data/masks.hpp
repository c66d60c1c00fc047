#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "model/enum_names.hpp"

namespace summand::train {

/// How to draw the tokens to predict.
enum class Selection {
  independent,  ///< each independently, at the rate
  exact,        ///< the rate's share of each sequence, rounded, at least one: BERT
  windows,      ///< one token of each window of consecutive tokens; the rate is one over their width. For units
                ///< of several tokens, at most one that begins in a window
};
[[nodiscard]] std::span<const model::EnumName<Selection>> enum_names(Selection);

/// The unit of drawing.
enum class MaskUnit {
  token,
  word,    ///< a piece and the following pieces of its word (##)
  spaced,  ///< text between spaces: words of Chinese that was divided by spaces
};
[[nodiscard]] std::span<const model::EnumName<MaskUnit>> enum_names(MaskUnit);

/// Which tokens to corrupt and which to predict.
struct MaskRules {
  Selection selection = Selection::exact;
  MaskUnit unit = MaskUnit::token;
  double predict_rate = 0.15;  ///< share of tokens to predict
  /// Share of tokens to corrupt. If larger than predict_rate, the others are corrupted but not predicted. If smaller,
  /// predict_rate must be a whole multiple: each sequence is used that many times, each time with another part of the
  /// tokens corrupted and predicted, so that every prediction is of a corrupted token.
  /// Source: Wettig et al. 2023, "Should you mask 15% in masked language modeling?", section 5
  double corrupt_rate = 0.15;
  size_t window = 7;          ///< tokens, with Selection::windows; both rates are then 1 / window
  double mask_share = 0.8;    ///< share of corrupted tokens that become [MASK]
  double random_share = 0.1;  ///< share that become a random token; the others stay
};

/// Why rules are invalid: "--corrupt-rate: expected …, got …"; empty if they are valid.
[[nodiscard]] std::string validation_error(const MaskRules& rules);

/// How many times a sequence is used: 1 unless fewer tokens are corrupted than predicted.
[[nodiscard]] size_t masked_copies(const MaskRules& rules);

/// The tokens of a sequence to predict and to corrupt.
struct Masked {
  std::vector<uint8_t> predicted;  ///< [tokens]
  std::vector<uint8_t> corrupted;  ///< [tokens]
};

/// Draws the tokens to predict and to corrupt. Every unit gets one random number, independent of the rates: for single
/// tokens, a higher rate chooses a superset, so that two arms of a comparison differ as little as possible.
/// @param unit_starts  [tokens], 1 where a unit begins; without special tokens
/// @param copy  below masked_copies(rules)
[[nodiscard]] Masked masked(std::span<const uint8_t> unit_starts, const MaskRules& rules, size_t copy,
                            RandomStream& stream);

/// The replacement of a corrupted token.
/// @param mask  the id of [MASK]
/// @param ordinary  ids of all tokens but special ones
[[nodiscard]] int32_t corrupted(int32_t id, int32_t mask, std::span<const int32_t> ordinary, const MaskRules& rules,
                                RandomStream& stream);

}  // namespace summand::train
