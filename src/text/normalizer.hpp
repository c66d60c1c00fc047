#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace summand::text {

/// Bytes [begin, end) of a text under 4 GiB.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  [[nodiscard]] bool operator==(const SourceRange&) const = default;
};

/// What BERT's normaliser does, in this order.
struct NormalizerSettings {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;  ///< already resolved: a null in the file follows `lowercase`
  bool lowercase = true;
  [[nodiscard]] bool operator==(const NormalizerSettings&) const = default;
};

/// A normalised text; source[i] is the range of the given text that byte i stands for.
struct NormalizedText {
  std::string text;
  std::vector<SourceRange> source;  ///< as long as `text`

  /// Appends the code point, each of its bytes standing for `range`.
  void append(char32_t code_point, SourceRange range);
};

/// One step of canonical decomposition: a code point, and whether it is the first one its character decomposes into.
struct DecomposedCharacter {
  char32_t code_point = 0;
  uint8_t order = 0;  ///< combining_order()
  bool first = true;
  SourceRange source;
};

/// Sorts combining marks canonically. Source ranges stay where they are: as in the reference, the n-th first code
/// point after sorting stands for the n-th character, and the others for the character of the first one before them.
/// @param sources  range of each character, in the order of the text
void order_canonically(std::vector<DecomposedCharacter>& characters, const std::vector<SourceRange>& sources);

/// @throws TextError if the text has 1.4 GB or more: a byte that is not UTF-8 becomes three, and places have 32 bits
void refuse_long_text(std::string_view text);

/// The plain way: text cleaning, spaces around ideographs, decomposition and accent stripping, lower case, each as one
/// pass over the whole text. WordSplitter does the same in one pass and is tested against this.
/// @param text  valid UTF-8 under 4 GiB
/// @param origin  added to every source range
[[nodiscard]] NormalizedText normalize(std::string_view text, const NormalizerSettings& settings, uint32_t origin = 0);

}  // namespace summand::text
