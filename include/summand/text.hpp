#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "summand/windows.hpp"

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

/// What the model reads as one sequence, in memory that somebody else owns. Made implicitly from anything that is a
/// string, and from a Text; valid as long as what it was made from.
struct TextView {
  /// An empty text.
  TextView() = default;
  /// One text. @param one  any bytes; those that are not UTF-8 read as U+FFFD
  template <std::convertible_to<std::string_view> String>
  TextView(const String& one) : text(one) {}  // NOLINT: implicit, as for std::string_view
  /// Two texts, `first` in segment 0 and `second` in segment 1.
  TextView(std::string_view first, std::string_view second) : text(first), text_pair(second) {}
  /// What a Text holds.
  TextView(const Text& one)  // NOLINT: implicit
      : text(one.text), text_pair(one.text_pair), words(one.words) {}

  std::string_view text;                                   ///< the text, or the first of two
  std::optional<std::string_view> text_pair = {};          ///< the second of two
  std::optional<std::span<const std::string>> words = {};  ///< where given, the two above count for nothing
};

/// Any list of texts, as a parameter: one text, `{"a", "b"}`, `{{"a question", "its answer"}, …}`, or a range of what
/// converts to TextView, such as std::vector<std::string>, std::span<const Text> or a view of std::string_view. No text
/// is copied: what it was made from has to outlive the call.
class TextList {
 public:
  /// No text.
  TextList() = default;
  /// One text.
  template <std::convertible_to<TextView> One>
  TextList(const One& one) : texts_{TextView(one)} {}  // NOLINT: implicit
  /// Several.
  TextList(std::initializer_list<TextView> texts) : texts_(texts) {}
  /// A range. Its elements must not be temporary: a view that makes strings as it is read is refused.
  template <std::ranges::input_range Texts>
  requires(!std::convertible_to<const Texts&, TextView> &&
           std::convertible_to<std::ranges::range_reference_t<Texts>, TextView> &&
           (std::is_lvalue_reference_v<std::ranges::range_reference_t<Texts>> ||
            std::is_trivially_copyable_v<std::ranges::range_value_t<Texts>>))
      TextList(Texts&& texts) {  // NOLINT: implicit
    if constexpr (std::ranges::sized_range<Texts>) texts_.reserve(std::ranges::size(texts));
    for (auto&& text : texts) texts_.emplace_back(text);
  }

  /// How many texts.
  [[nodiscard]] size_t size() const { return texts_.size(); }
  /// Whether there is none.
  [[nodiscard]] bool empty() const { return texts_.empty(); }
  /// One text. @param index  below size()
  [[nodiscard]] const TextView& operator[](size_t index) const { return texts_[index]; }
  /// The first text.
  [[nodiscard]] auto begin() const { return texts_.begin(); }
  /// Behind the last text.
  [[nodiscard]] auto end() const { return texts_.end(); }

 private:
  std::vector<TextView> texts_;
};

/// How a text or a pair that is too long is cut. The first three cut the end, or the beginning where the tokenizer's
/// files say so (`"truncation_side": "left"`).
enum class Truncation {
  longest_first,  ///< the longer of a pair, then both
  only_first,     ///< the first text
  only_second,    ///< the second text
  none,           ///< not at all: a longer text is an error
  head_tail,      ///< as longest_first decides, but each text keeps its beginning and its end
  tail,           ///< as longest_first decides, but each text keeps its end
  head,           ///< as longest_first decides, but each text keeps its beginning
};

/// What becomes of texts that are longer than a call takes.
struct LengthOptions {
  Truncation truncation = Truncation::longest_first;  ///< how such a text is cut
  std::optional<size_t> max_length = {};  ///< tokens, special ones counted; none: the limit that the call names
};

/// What becomes of a text with the same tokens as an earlier one of the same call. (A call works through some 16,000
/// tokens at a time. Results for tokens, of tag and fill_mask, are kept no longer than that.)
enum class RepeatedTexts {
  compute_once,  ///< it gets the earlier one's result, which would be its own to the bit, as long as that is kept
  compute_each,  ///< it is computed like any other, so that time can be measured
};

/// What became of the texts of a call.
struct ReadCount {
  size_t texts = 0;           ///< in the call
  size_t texts_cut = 0;       ///< of these, texts that lost at least one token to truncation
  size_t tokens = 0;          ///< of all texts: special tokens, and those that windows share, included
  size_t texts_empty = 0;     ///< of these, texts that special tokens alone are left of
  size_t unknown_tokens = 0;  ///< of these, words that the vocabulary does not have: [UNK]
  WindowCount windows = {};   ///< where texts are not divided, one for each
  size_t texts_repeated = 0;  ///< of these, texts that got an earlier one's result: see RepeatedTexts

  /// Counts what another has counted.
  void add(const ReadCount& other) {
    texts += other.texts;
    texts_cut += other.texts_cut;
    tokens += other.tokens;
    texts_empty += other.texts_empty;
    unknown_tokens += other.unknown_tokens;
    windows.add(other.windows);
    texts_repeated += other.texts_repeated;
  }
};

}  // namespace summand
