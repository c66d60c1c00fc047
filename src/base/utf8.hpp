#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace summand {

/// One decoding step: the code point and the bytes it took. An invalid sequence is U+FFFD over its maximal subpart.
struct DecodedCharacter {
  char32_t code_point;
  uint32_t bytes;
  bool valid;
};

/// The character at the start of a text that is not empty.
/// Source: The Unicode Standard, section 3.9, "U+FFFD Substitution of Maximal Subparts" (what Python does).
[[nodiscard]] DecodedCharacter decode_utf8(std::string_view text);

/// decode_utf8 for text known to be valid: no checks.
[[nodiscard]] inline DecodedCharacter decode_valid_utf8(const char* at) {
  const auto byte = [at](int i) { return static_cast<uint32_t>(static_cast<unsigned char>(at[i])); };
  if (byte(0) < 0x80) return {byte(0), 1, true};
  if (byte(0) < 0xE0) return {(byte(0) & 0x1F) << 6 | (byte(1) & 0x3F), 2, true};
  if (byte(0) < 0xF0) return {(byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3, true};
  return {(byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4, true};
}

/// Start of the character that ends just before `at`, in valid text.
[[nodiscard]] inline const char* previous_character(const char* at) {
  do --at;
  while ((static_cast<unsigned char>(*at) & 0xC0) == 0x80);
  return at;
}

/// Appends the code point in UTF-8.
void append_utf8(std::string& text, char32_t code_point);

/// Whether Python's strict decoder would take it; surrogates are invalid.
[[nodiscard]] bool is_valid_utf8(std::string_view text);

/// Position of the first byte that is not valid UTF-8, or the text's size.
[[nodiscard]] size_t valid_utf8_prefix(std::string_view text);

/// A text in which every invalid sequence is one U+FFFD, and the way back to the bytes given.
class RepairedText {
 public:
  explicit RepairedText(std::string_view given);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// Position in the bytes given, of a character boundary of text().
  [[nodiscard]] size_t given_position(size_t position) const;

 private:
  struct Repair {
    size_t end;        ///< just behind the U+FFFD in text()
    size_t given_end;  ///< just behind the invalid bytes
  };
  std::string text_;
  std::vector<Repair> repairs_;
};

}  // namespace summand
