#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "text/normalizer.hpp"
#include "text/unicode.hpp"
#include "text/word_piece.hpp"

namespace summand::text {

/// Effect of normaliser and word splitter together on one character.
enum class CharacterKind : uint8_t {
  letter,     ///< part of a word
  blank,      ///< ends a word
  isolated,   ///< a word of its own: punctuation or an ideograph
  removed,    ///< nothing
  mixed,      ///< several of the above
  reordered,  ///< depends on the combining marks around it
};

/// `value` is the id of an isolated character; else the offset of its normalised bytes in the pool, or kSame.
struct CharacterEntry {
  static constexpr int32_t kSame = -1;

  int32_t value = kSame;
  CharacterKind kind = CharacterKind::letter;
  uint8_t bytes = 0;       ///< in the pool
  uint8_t characters = 1;  ///< in the pool; counted against the longest word
  uint8_t padding = 0;
};

/// The entry of every code point under one set of settings.
class CharacterTable {
 public:
  CharacterTable(const NormalizerSettings& settings, const WordPiece& word_piece);

  [[nodiscard]] const CharacterEntry& operator[](char32_t code_point) const {
    return entries_[block_of_[code_point / kUnicodeBlock] * kUnicodeBlock + code_point % kUnicodeBlock];
  }

  [[nodiscard]] const char* pool(const CharacterEntry& entry) const { return pool_.data() + entry.value; }

  /// For a byte that is a letter by itself, the byte it becomes; 0 for every other byte.
  [[nodiscard]] char ascii_letter(char byte) const { return ascii_letter_[static_cast<unsigned char>(byte)]; }

 private:
  CharacterEntry entry(char32_t code_point, const WordPiece& word_piece);
  void fill_ascii_letters();

  NormalizerSettings settings_;
  std::vector<uint32_t> block_of_;
  std::vector<CharacterEntry> entries_;
  std::string pool_;
  std::array<char, 256> ascii_letter_{};
};

}  // namespace summand::text
