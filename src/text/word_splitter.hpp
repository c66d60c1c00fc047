#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/character_table.hpp"
#include "text/normalizer.hpp"
#include "text/word_piece.hpp"

namespace summand::text {

/// How to split a text into words.
enum class WordSplit {
  bert,        ///< at white space and around each punctuation character: BertPreTokenizer
  white_space  ///< into runs of letters, digits and underscores, and runs of other characters: Whitespace
};

/// Normalises, splits into words and cuts them into pieces, in one pass. One per text; the scratch is lent.
class WordSplitter {
 public:
  /// The word being read: its normalised bytes, and what each stands for once that is not simply its own place.
  struct Scratch {
    std::vector<char> bytes;
    std::vector<SourceRange> ranges;
  };

  WordSplitter(const CharacterTable& table, const NormalizerSettings& settings, const WordPiece& word_piece,
               Scratch& scratch, std::vector<Token>& tokens);

  /// Appends the tokens of a piece of text at offset `origin` of the input text.
  /// @param piece  valid UTF-8
  void split(std::string_view piece, uint32_t origin);

  /// Appends the tokens of bytes [begin, end) of a text that is already normalised.
  void split_normalized(const NormalizedText& text, size_t begin, size_t end);

  /// The same where words are runs of letters, digits and underscores, or of other characters but white space.
  void split_into_runs(const NormalizedText& text, size_t begin, size_t end);

  /// Appends a token that is a word of its own.
  void append(int32_t id, SourceRange range) { tokens_.push_back({id, range.begin, range.end, word_index_++}); }

 private:
  bool ends_word(char byte) const;
  void start_word(const char* begin, const char* at);
  const char* read_character(const char* at);
  const char* read_reordered(const char* at);
  const char* start_of_marks(const char* at) const;
  /// Whether canonical ordering may move the character; one that cleaning removes is no obstacle.
  bool starts_with_mark(char32_t code_point) const;
  void put(char32_t code_point, SourceRange range);
  void put_isolated(int32_t id, SourceRange range);
  void append_letters(const char* bytes, uint32_t count, uint32_t characters, SourceRange range);
  void finish_word();
  uint32_t position(const char* at) const { return origin_ + static_cast<uint32_t>(at - begin_); }

  const CharacterTable& table_;
  const NormalizerSettings& settings_;
  const WordPiece& word_piece_;
  Scratch& scratch_;
  std::vector<Token>& tokens_;

  const char* begin_ = nullptr;  // of the piece
  const char* end_ = nullptr;
  uint32_t origin_ = 0;  // offset of the piece in the input text
  int32_t word_index_ = 0;

  // The word being read; characters_ == 0 between words. Bytes are kept up to the longest word only.
  size_t characters_ = 0;
  uint32_t bytes_ = 0;
  SourceRange word_;
  bool in_place_ = true;  // byte i of the word stands for byte word_.begin + i
};

}  // namespace summand::text
