#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace summand {

/// What the model reads as one sequence: a text, two texts, or words already split. Made implicitly from a string, so
/// that `std::vector<Text>{"a cat", {"a question", "its answer"}}` is a list of a text and a pair.
struct Text {
  /// An empty text.
  Text() = default;
  /// One text. @param one  any bytes; those that are not UTF-8 read as U+FFFD
  Text(std::string one) : text(std::move(one)) {}
  /// One text.
  Text(std::string_view one) : text(one) {}
  /// One text.
  Text(const char* one) : text(one) {}
  /// Two texts, `first` in segment 0 and `second` in segment 1.
  Text(std::string first, std::string second) : text(std::move(first)), text_pair(std::move(second)) {}
  /// Words already split, as a tagged corpus has them.
  [[nodiscard]] static Text of_words(std::vector<std::string> list) {
    Text result;
    result.words = std::move(list);
    return result;
  }

  std::string text;                                    ///< the text, or the first of two; any bytes
  std::optional<std::string> text_pair = {};           ///< the second of two
  std::optional<std::vector<std::string>> words = {};  ///< where these are given, the two above count for nothing
};

/// How a text or a pair that is too long is cut.
enum class Truncation {
  longest_first,  ///< the longer of a pair, then both
  only_first,     ///< the first text
  only_second,    ///< the second text
  none,           ///< not at all: a longer text is an error
  head_tail,      ///< as longest_first decides, but each text keeps its beginning and its end
  tail,           ///< as longest_first decides, but each text keeps its end
};

/// What becomes of texts that are longer than a call takes.
struct LengthOptions {
  Truncation truncation = Truncation::longest_first;  ///< how such a text is cut
  std::optional<size_t> max_length = {};  ///< tokens, special ones counted; none: the limit that the call names
};

}  // namespace summand
