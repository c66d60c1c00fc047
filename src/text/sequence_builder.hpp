#pragma once

#include <span>
#include <vector>

#include "text/encoding.hpp"
#include "text/special_template.hpp"
#include "text/tokenizer.hpp"
#include "text/word_piece.hpp"

namespace summand::text {

/// The kept tokens of a text: two ranges.
struct KeptTokens {
  std::span<const Token> front = {};
  std::span<const Token> back = {};
  [[nodiscard]] size_t size() const { return front.size() + back.size(); }
};

struct KeptTexts {
  KeptTokens first = {};
  KeptTokens second = {};  ///< empty for one text
};

/// Adds the special tokens to one text or a pair and replaces `encoding` by the result.
void put_together(const SpecialTemplate& special, SpecialTokens special_tokens, const KeptTexts& kept,
                  Encoding& encoding);

/// Cuts one text or a pair, adds the special tokens and replaces `encoding` by the result.
/// @param settings  of the tokenizer: which special tokens, and which side is cut
/// @param second  null for one text
/// @throws TextError if it cannot be cut as asked
void build_sequence(const TokenizerSettings& settings, const std::vector<Token>& first,
                    const std::vector<Token>* second, const EncodeOptions& options, Encoding& encoding);

}  // namespace summand::text
