#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "summand/text.hpp"

namespace summand::text {

using summand::Truncation;

/// Which end of a text is cut, unless the way to cut names one: `truncation_side`.
enum class TruncationSide { end, beginning };

/// Lengths of the texts before cutting, in tokens without special ones.
struct TextLengths {
  size_t first = 0;
  std::optional<size_t> second = std::nullopt;
};

struct CutLengths {
  size_t first = 0;
  size_t second = 0;
};

/// How many tokens each text keeps.
/// @param room  tokens that may stay, special ones not counted
/// @param special  how many special tokens there are, for messages
/// @throws TextError if the strategy cannot make the texts short enough
/// Source: the first three strategies agree with tokenizers 0.23.3
[[nodiscard]] CutLengths cut_lengths(Truncation truncation, const TextLengths& lengths, size_t room, size_t special);

/// Whether a text keeps its end: what Truncation::tail says and Truncation::head denies, and the others leave to the
/// tokenizer's files.
[[nodiscard]] bool keeps_end(Truncation truncation, TruncationSide side);

/// How many of `room` tokens come from the beginning of the text; the others come from its end.
/// Source: Sun et al. 2019, section 5.3.1: the first 128 and the last 382 of 510
[[nodiscard]] size_t head_length(size_t room);

}  // namespace summand::text
