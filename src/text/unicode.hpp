#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace summand::text {

constexpr char32_t kCodePoints = 0x110000;
constexpr char32_t kReplacement = 0xFFFD;

/// Bits of unicode_flags(), named after what the reference does with the code point.
enum UnicodeFlag : uint16_t {
  kRemoved = 1 << 0,      ///< text cleaning drops it
  kBlank = 1 << 1,        ///< text cleaning makes it a space
  kIdeograph = 1 << 2,    ///< gets a space on both sides
  kNonspacing = 1 << 3,   ///< accent stripping drops it
  kPunctuation = 1 << 4,  ///< a word of its own
  kWhitespace = 1 << 5,   ///< separates words
  kWord = 1 << 6,         ///< a single-word added token does not match next to it
  kSpace = 1 << 7,        ///< taken by lstrip and rstrip of an added token
  kDecomposes = 1 << 8,   ///< decomposition() differs from the code point
  kLowers = 1 << 9,       ///< lower_case() differs from the code point
  kMark = 1 << 10,        ///< the normaliser StripAccents drops it: more than kNonspacing
};

/// Union of UnicodeFlag bits, as tokenizers 0.23.3 behaves. Source: probed, see unicode_tables/generate.py.
[[nodiscard]] uint16_t unicode_flags(char32_t code_point);

/// Code points come in blocks; two blocks of the same class agree in every flag and order.
constexpr uint32_t kUnicodeBlock = 128;
[[nodiscard]] uint32_t unicode_block_class(uint32_t block);
[[nodiscard]] uint32_t unicode_block_classes();

/// Rank of a combining mark in canonical ordering; 0 never moves, equal ranks keep their order.
[[nodiscard]] uint8_t combining_order(char32_t code_point);

/// One to four code points.
struct CodePoints {
  std::array<char32_t, 4> values{};
  size_t count = 0;
  [[nodiscard]] auto begin() const { return values.begin(); }
  [[nodiscard]] auto end() const { return values.begin() + count; }
};

/// Full canonical decomposition; the code point itself if there is none.
[[nodiscard]] CodePoints decomposition(char32_t code_point);

/// Lower case without context; the code point itself if there is none.
[[nodiscard]] CodePoints lower_case(char32_t code_point);

}  // namespace summand::text
