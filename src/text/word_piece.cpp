#include "text/word_piece.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace summand::text {

namespace {

/// Both lists come out sorted, as the tokens are.
PieceTrie make_trie(const Vocabulary& vocabulary, std::string_view prefix) {
  std::vector<PieceTrie::Entry> beginning;
  std::vector<PieceTrie::Entry> continuing;
  beginning.reserve(vocabulary.tokens().size());
  for (const auto& [token, id] : vocabulary.tokens()) {
    if (!token.empty()) beginning.emplace_back(token, id);
    if (token.size() > prefix.size() && token.starts_with(prefix)) {
      continuing.emplace_back(token.substr(prefix.size()), id);
    }
  }
  return {std::move(beginning), std::move(continuing)};
}

}  // namespace

WordPiece::WordPiece(const Vocabulary& vocabulary, const WordPieceSettings& settings)
    : pieces_(make_trie(vocabulary, settings.continuing_subword_prefix)),
      unk_token_(settings.unk_token),
      most_characters_(settings.max_input_chars_per_word),
      unknown_(vocabulary.id(settings.unk_token).value_or(-1)) {}

int32_t WordPiece::single(std::string_view character) const {
  if (most_characters_ == 0) return unknown_;
  return pieces_.find(character, PieceTrie::Set::beginning).value_or(unknown_);
}

void WordPiece::refuse_unknown() const {
  throw TextError("tokenizer",
                  fmt::format("expected the unknown token '{}' in the vocabulary, got a word that needs it",
                              printable(unk_token_)));
}

}  // namespace summand::text
