#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summand/tokens.hpp"

namespace summand::text {

/// BERT's special tokens, with the ids 0 to 4 in a vocabulary that is written here.
inline constexpr std::array<std::string_view, 5> kSpecialTokens{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

/// A file of a tokenizer, to be written.
struct TokenizerFile {
  std::string_view name;
  std::string content;
};

/// `vocab.txt`, `tokenizer.json` and `tokenizer_config.json` of a BERT tokenizer, which `tokenizers`, `transformers`
/// and Tokenizer::load read alike. Where accents and spaces around ideographs are concerned they say what BERT's do.
/// @param tokens  by id, kSpecialTokens first
/// Source: what BertTokenizer of transformers 5.23 saves
[[nodiscard]] std::vector<TokenizerFile> tokenizer_files(std::span<const std::string> tokens, Lowercase lowercase);

}  // namespace summand::text
