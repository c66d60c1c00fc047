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

/// One input sequence: a text, a pair of texts, or pre-split words. Converts implicitly from a string, so that
/// `std::vector<Text>{"a cat", {"a question", "its answer"}}` is a list of a text and a pair.
struct Text {
  /// An empty text.
  Text() = default;
  /// One text. @param one  any bytes; invalid UTF-8 reads as U+FFFD
  Text(std::string one) : text(std::move(one)) {}
  /// One text.
  Text(std::string_view one) : text(one) {}
  /// One text.
  Text(const char* one) : text(one) {}
  /// Two texts, `first` in segment 0 and `second` in segment 1.
  Text(std::string first, std::string second) : text(std::move(first)), text_pair(std::move(second)) {}
  /// Pre-split words, as in a tagged corpus.
  [[nodiscard]] static Text of_words(std::vector<std::string> list) {
    Text result;
    result.words = std::move(list);
    return result;
  }

  std::string text;                                    ///< the text, or the first of two; any bytes
  std::optional<std::string> text_pair = {};           ///< the second of two
  std::optional<std::vector<std::string>> words = {};  ///< if given, the two above are ignored
};

/// One input sequence that does not own its memory. Converts implicitly from any string type and from a Text; valid as
/// long as they are.
struct TextView {
  /// An empty text.
  TextView() = default;
  /// One text. @param one  any bytes; invalid UTF-8 reads as U+FFFD
  template <std::convertible_to<std::string_view> String>
  TextView(const String& one) : text(one) {}  // NOLINT: implicit, as for std::string_view
  /// Two texts, `first` in segment 0 and `second` in segment 1.
  TextView(std::string_view first, std::string_view second) : text(first), text_pair(second) {}
  /// A view of a Text.
  TextView(const Text& one)  // NOLINT: implicit
      : text(one.text), text_pair(one.text_pair), words(one.words) {}

  std::string_view text;                                   ///< the text, or the first of two
  std::optional<std::string_view> text_pair = {};          ///< the second of two
  std::optional<std::span<const std::string>> words = {};  ///< if given, the two above are ignored
};

/// A list of texts, as a parameter: one text, `{"a", "b"}`, `{{"a question", "its answer"}, …}`, or any range whose
/// elements convert to TextView, such as std::vector<std::string>, std::span<const Text> or a view of std::string_view.
/// Copies no text: the source must outlive the call.
class TextList {
 public:
  /// No text.
  TextList() = default;
  /// One text.
  template <std::convertible_to<TextView> One>
  TextList(const One& one) : texts_{TextView(one)} {}  // NOLINT: implicit
  /// Several texts.
  TextList(std::initializer_list<TextView> texts) : texts_(texts) {}
  /// A range. Does not compile for a view whose elements are temporary strings.
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
  /// Whether the list is empty.
  [[nodiscard]] bool empty() const { return texts_.empty(); }
  /// One text. @param index  below size()
  [[nodiscard]] const TextView& operator[](size_t index) const { return texts_[index]; }
  /// The first text.
  [[nodiscard]] auto begin() const { return texts_.begin(); }
  /// Past the last text.
  [[nodiscard]] auto end() const { return texts_.end(); }

 private:
  std::vector<TextView> texts_;
};

/// How to cut a text or a pair that is too long. The first three cut the end, or the beginning if the tokenizer's files
/// say so (`"truncation_side": "left"`).
enum class Truncation {
  longest_first,  ///< the longer text of a pair, then both
  only_first,     ///< the first text
  only_second,    ///< the second text
  none,           ///< nothing: a longer text is an error
  head_tail,      ///< lengths as for longest_first; each text keeps its beginning and its end
  tail,           ///< lengths as for longest_first; each text keeps its end
  head,           ///< lengths as for longest_first; each text keeps its beginning
};

/// Handling of texts that are too long for a call.
struct LengthOptions {
  std::optional<Truncation> truncation = {};  ///< how to cut them; none: longest_first, or as the call says
  std::optional<size_t> max_length = {};      ///< in tokens, special tokens included; none: the call's default limit

  /// Whether two handle them alike.
  [[nodiscard]] bool operator==(const LengthOptions&) const = default;
};

/// How texts are read: cut, or divided into windows.
///
/// A checkpoint of `summand finetune` says how its training read them. Model::classify, score, rerank and tag read
/// texts likewise, but for what their options say: a max_length replaces the checkpoint's, a truncation cuts where the
/// checkpoint divides, and windows divide where it cuts.
struct Reading {
  LengthOptions length = {};                  ///< how to cut them, and to how many tokens; or of how many a window is
  std::optional<WindowOptions> windows = {};  ///< divide them instead of cutting them

  /// Whether two read texts alike.
  [[nodiscard]] bool operator==(const Reading&) const = default;
};

/// Handling of a text with the same tokens as an earlier one of the same call. A call processes about 16,000 tokens at
/// a time; per-token results, of tag and fill_mask, are reused only within such a batch.
enum class RepeatedTexts {
  compute_once,  ///< reuse the earlier result if it is still cached; it has the same bits
  compute_each,  ///< compute it like any other, for measuring time
};

/// What a call read.
struct ReadCount {
  size_t texts = 0;           ///< in the call
  size_t texts_cut = 0;       ///< texts that lost at least one token to truncation
  size_t tokens = 0;          ///< of all texts, including special tokens and tokens shared by windows
  size_t texts_empty = 0;     ///< texts with no tokens but special ones
  size_t unknown_tokens = 0;  ///< of `tokens`, unknown words: [UNK]
  WindowCount windows = {};   ///< one per text if texts are not divided
  size_t texts_repeated = 0;  ///< texts that reused an earlier result: see RepeatedTexts

  /// Adds another count.
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
