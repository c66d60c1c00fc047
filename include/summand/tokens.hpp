#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "summand/range.hpp"
#include "summand/text.hpp"

namespace summand {

/// Whether the special tokens are put around a text; in decoding, whether they are kept.
enum class SpecialTokens {
  add,   ///< [CLS] and [SEP], or what the tokenizer's files say
  omit,  ///< none
};

/// Whether letters lose their case, and with it their accents.
enum class Lowercase {
  no,   ///< they stay as they are: "cased"
  yes,  ///< they lose both: "uncased"
};

/// How a text becomes tokens.
struct TokenizeOptions {
  SpecialTokens special_tokens = SpecialTokens::add;  ///< whether [CLS] and [SEP] stand around the text
  Truncation truncation = Truncation::longest_first;  ///< how a text is cut that is longer than `max_length`
  std::optional<size_t> max_length = std::nullopt;    ///< in tokens, special ones counted; none: nothing is cut
};

/// A text as the model reads it; all vectors have one element per token.
struct Encoding {
  std::vector<int32_t> ids;       ///< rows of the token table
  std::vector<int32_t> segments;  ///< 0 for the first text, 1 for the second, or what the template says
  std::vector<Range> offsets;     ///< bytes of the text given; [0, 0) for special tokens that were put around the text
  std::vector<int32_t> words;     ///< number of the word in its text, from 0; -1 for those special tokens
  std::vector<uint8_t> special;   ///< 1 for those special tokens; one that stands in the text itself has 0
  size_t cut = 0;                 ///< tokens that truncation removed
};

}  // namespace summand
