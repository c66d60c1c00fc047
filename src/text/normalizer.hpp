#pragma once

#include <array>
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

/// One pass of a normaliser over a text.
enum class NormalizerStep : uint8_t {
  none,              ///< nothing: after the last step
  clean_text,        ///< drops control characters, makes white space a space
  space_ideographs,  ///< a space on both sides of Chinese characters
  decompose,         ///< canonical decomposition, NFD
  strip_nonspacing,  ///< drops marks of category Mn, as BertNormalizer
  strip_marks,       ///< drops combining marks, as StripAccents
  lowercase,
};

/// The steps of BERT's normaliser, in this order.
struct NormalizerSettings {
  static constexpr size_t kMostSteps = 16;

  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;  ///< already resolved: a null in the file follows `lowercase`
  bool lowercase = true;
  /// The steps of other normalisers than BERT's; the four above are then ignored.
  std::array<NormalizerStep, kMostSteps> steps = {};

  /// All steps, in order.
  [[nodiscard]] std::vector<NormalizerStep> in_order() const;

  /// Whether it is BERT's, determined by the four alone.
  [[nodiscard]] bool is_bert() const { return steps.front() == NormalizerStep::none; }

  /// Lower-cases first, unless a step does so.
  /// @throws ConfigError if that is one step too many
  void add_lowercase();

  [[nodiscard]] bool operator==(const NormalizerSettings&) const = default;
};

/// A normalised text; source[i] is the range of the input text for byte i.
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

/// The plain way: each step as one pass over the whole text. WordSplitter does what BERT's normaliser does in one pass
/// and is tested against this.
/// @param text  valid UTF-8 under 4 GiB
/// @param origin  added to every source range
[[nodiscard]] NormalizedText normalize(std::string_view text, const NormalizerSettings& settings, uint32_t origin = 0);

}  // namespace summand::text
