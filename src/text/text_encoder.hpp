#pragma once

#include <string_view>
#include <vector>

#include "text/added_tokens.hpp"
#include "text/character_table.hpp"
#include "text/normalizer.hpp"
#include "text/word_piece.hpp"
#include "text/word_splitter.hpp"

namespace summand::text {

/// One text to tokens: added tokens first, then words, then pieces.
class TextEncoder {
 public:
  struct Scratch {
    WordSplitter::Scratch word;
    std::vector<AddedTokenMatcher::Segment> segments;
    std::vector<AddedTokenMatcher::Segment> normalized_segments;
  };

  /// @param word_piece  has to outlive this
  TextEncoder(const NormalizerSettings& settings, const std::vector<AddedToken>& added_tokens,
              const WordPiece& word_piece, WordSplit word_split = WordSplit::bert,
              SpecialTokensInText special_tokens = SpecialTokensInText::found);

  /// Replaces `tokens` by those of the text; offsets are bytes of it.
  /// @param text  any bytes
  /// @throws TextError if it has 4 GiB or more, or an unknown word that the vocabulary has no token for
  void encode(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const;

  /// The same by the plain way: normalises the text as a whole, then splits it. For tests.
  /// @param text  valid UTF-8
  void encode_plainly(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const;

 private:
  enum class Way { fast, plain };
  void encode_valid(std::string_view text, Way way, Scratch& scratch, std::vector<Token>& tokens) const;
  void encode_normalized(std::string_view piece, uint32_t origin, WordSplitter& splitter, Scratch& scratch) const;

  [[nodiscard]] bool has_fast_way() const { return settings_.is_bert() && word_split_ == WordSplit::bert; }

  NormalizerSettings settings_;
  const WordPiece& word_piece_;
  WordSplit word_split_;
  AddedTokenMatcher given_;
  AddedTokenMatcher normalized_;
  CharacterTable table_;
};

}  // namespace summand::text
