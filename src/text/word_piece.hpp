#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/normalizer.hpp"
#include "text/piece_trie.hpp"
#include "text/vocabulary.hpp"

namespace summand::text {

/// A piece of the text: its id, its bytes in the input text, its word.
struct Token {
  int32_t id;
  uint32_t begin;
  uint32_t end;
  int32_t word;
};

struct WordPieceSettings {
  std::string unk_token = "[UNK]";
  std::string continuing_subword_prefix = "##";
  size_t max_input_chars_per_word = 100;
  [[nodiscard]] bool operator==(const WordPieceSettings&) const = default;
};

/// Longest match first, from left to right; a word without a match, or with too many characters, is one unknown token.
/// Source: Devlin et al. 2018; the longest match is LinMaxMatch's problem, Song et al. 2021.
class WordPiece {
 public:
  WordPiece(const Vocabulary& vocabulary, const WordPieceSettings& settings);

  /// Appends the tokens of a word whose byte i is byte begin + i of the text.
  void split(std::string_view word, uint32_t begin, int32_t word_index, std::vector<Token>& tokens) const {
    split(word, word_index, tokens, [begin](uint32_t from, uint32_t to) {
      return SourceRange{begin + from, begin + to};
    });
  }

  /// Appends the tokens of a word whose byte i stands for ranges[i] of the text.
  void split(std::string_view word, const SourceRange* ranges, int32_t word_index, std::vector<Token>& tokens) const {
    split(word, word_index, tokens, [ranges](uint32_t from, uint32_t to) {
      return SourceRange{ranges[from].begin, ranges[to - 1].end};
    });
  }

  /// The id of a word of one character, or the unknown id.
  [[nodiscard]] int32_t single(std::string_view character) const;

  /// Id of words without a match; negative if the vocabulary has none.
  [[nodiscard]] int32_t unknown() const { return unknown_; }

  [[nodiscard]] size_t most_characters() const { return most_characters_; }

  /// @throws TextError: the vocabulary has no unknown token
  [[noreturn]] void refuse_unknown() const;

 private:
  template <typename RangeOf>
  void split(std::string_view word, int32_t word_index, std::vector<Token>& tokens, RangeOf range_of) const {
    const auto bytes = static_cast<uint32_t>(word.size());
    const size_t before = tokens.size();
    auto set = PieceTrie::Set::beginning;
    for (uint32_t at = 0; at < bytes; set = PieceTrie::Set::continuing) {
      const auto match = pieces_.longest(word.substr(at), set);
      if (!match) {
        if (unknown_ < 0) refuse_unknown();
        tokens.resize(before);
        const SourceRange range = range_of(0, bytes);
        tokens.push_back({unknown_, range.begin, range.end, word_index});
        return;
      }
      const SourceRange range = range_of(at, at + match->bytes);
      tokens.push_back({match->id, range.begin, range.end, word_index});
      at += match->bytes;
    }
  }

  PieceTrie pieces_;
  std::string unk_token_;
  size_t most_characters_;
  int32_t unknown_;
};

}  // namespace summand::text
