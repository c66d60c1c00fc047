#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "summand/range.hpp"
#include "summand/text.hpp"

namespace summand {

/// Whether to add special tokens to a text; in decoding, whether to keep them.
enum class SpecialTokens {
  add,   ///< [CLS] and [SEP], or those of the tokenizer's files
  omit,  ///< none
};

/// Whether to lowercase letters and strip their accents.
enum class Lowercase {
  no,   ///< neither: a "cased" model
  yes,  ///< both: an "uncased" model
};

/// Options of tokenisation.
struct TokenizeOptions {
  SpecialTokens special_tokens = SpecialTokens::add;  ///< whether to add [CLS] and [SEP]
  Truncation truncation = Truncation::longest_first;  ///< how to cut a text longer than `max_length`
  std::optional<size_t> max_length = std::nullopt;    ///< in tokens, special tokens included; none: no cut
};

/// A tokenised text; all vectors have one element per token.
struct Encoding {
  std::vector<int32_t> ids;       ///< rows of the token table
  std::vector<int32_t> segments;  ///< 0 for the first text, 1 for the second, unless the template differs
  std::vector<Range> offsets;     ///< bytes of the input text; [0, 0) for added special tokens
  std::vector<int32_t> words;     ///< index of the word in its text, from 0; -1 for added special tokens
  std::vector<uint8_t> special;   ///< 1 for added special tokens; 0 for one written in the text itself
  size_t cut = 0;                 ///< number of tokens removed by truncation
  Range second = {};              ///< which tokens are the second text's, of a pair
};

}  // namespace summand
