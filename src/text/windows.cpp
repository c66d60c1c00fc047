#include "text/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "text/sequence_builder.hpp"

namespace summand::text {

namespace {

/// Where a window may begin or end: between words, and between any two tokens of a word longer than a window.
class Boundaries {
 public:
  Boundaries(std::span<const Token> tokens, size_t room) : tokens_(tokens), room_(room) {}

  /// The nearest boundary behind `place`.
  [[nodiscard]] size_t after(size_t place) const {
    const size_t end = end_of_word(place);
    return end - begin_of_word(place) > room_ ? place + 1 : end;
  }
  /// The nearest boundary at `place` or behind it.
  [[nodiscard]] size_t at_or_after(size_t place) const { return place == 0 ? 0 : after(place - 1); }
  /// The nearest boundary at `place` or before it.
  [[nodiscard]] size_t at_or_before(size_t place) const {
    if (place == tokens_.size()) return place;
    const size_t begin = begin_of_word(place);
    return end_of_word(place) - begin > room_ ? place : begin;
  }

 private:
  /// Both look no further than a window, so that a word of a million tokens costs no more than one of a thousand.
  [[nodiscard]] size_t begin_of_word(size_t place) const {
    size_t begin = place;
    while (begin > 0 && place - begin <= room_ && tokens_[begin - 1].word == tokens_[place].word) --begin;
    return begin;
  }
  [[nodiscard]] size_t end_of_word(size_t place) const {
    size_t end = place + 1;
    while (end < tokens_.size() && end - place <= room_ && tokens_[end].word == tokens_[place].word) ++end;
    return end;
  }

  std::span<const Token> tokens_;
  size_t room_;
};

size_t difference_or_zero(size_t a, size_t b) {
  return a - std::min(a, b);
}

/// Tokens of the words that begin in the first `bytes` bytes.
size_t tokens_within(std::span<const Token> tokens, size_t bytes) {
  size_t count = 0;
  while (count < tokens.size() &&
         (tokens[count].begin < bytes || (count > 0 && tokens[count].word == tokens[count - 1].word))) {
    ++count;
  }
  return count;
}

void check_room(const WindowLimits& limits, size_t in_every_window, std::string_view what) {
  if (in_every_window >= limits.max_length) {
    throw TextError("windows",
                    fmt::format("expected windows of more than {0} tokens, since {1} take {0} of each, got {2}",
                                in_every_window, what, limits.max_length));
  }
  const size_t room = limits.max_length - in_every_window;
  if (limits.overlap >= room) {
    throw TextError("windows", fmt::format("expected an overlap of less than {} tokens, since {} take {} of the {} "
                                           "of each window, got {}",
                                           room, what, in_every_window, limits.max_length, limits.overlap));
  }
}

}  // namespace

std::vector<Range> window_ranges(std::span<const Token> tokens, size_t room, size_t overlap) {
  const Boundaries boundaries(tokens, room);
  std::vector<Range> ranges;
  size_t begin = 0;
  while (tokens.size() - begin > room) {
    const size_t end = boundaries.at_or_before(begin + room);
    ranges.push_back({begin, end});
    // The next window has to reach further than this one, so it has to hold the next word.
    const size_t next_word_end = boundaries.after(end);
    begin = boundaries.at_or_after(std::max(difference_or_zero(end, overlap), difference_or_zero(next_word_end, room)));
  }
  ranges.push_back({begin, tokens.size()});
  return ranges;
}

std::vector<Range> stepped_ranges(size_t tokens, size_t room, size_t overlap) {
  std::vector<Range> ranges;
  size_t begin = 0;
  for (; tokens - begin > room; begin += room - overlap) ranges.push_back({begin, begin + room});
  ranges.push_back({begin, tokens});
  return ranges;
}

DividedText::DividedText(const SpecialTemplate& special, std::vector<Token> first,
                         std::optional<std::vector<Token>> second, const WindowLimits& limits)
    : special_(&special), first_(std::move(first)), second_(std::move(second)) {
  const size_t added = special.special_tokens();
  if (added + first_.size() + (second_ ? second_->size() : 0) <= limits.max_length) {
    ranges_.push_back({0, second_ ? second_->size() : first_.size()});
    return;
  }
  if (second_) {
    check_room(limits, added + first_.size(), "the first text and special tokens");
    ranges_ = ranges_of(*second_, limits.max_length - added - first_.size(), limits);
    cut_behind(limits.most_windows);
    return;
  }
  repeated_ = tokens_within(first_, limits.repeated_bytes);
  check_room(limits, added + repeated_, repeated_ > 0 ? "the prompt and special tokens" : "special tokens");
  const auto rest = std::span(std::as_const(first_)).subspan(repeated_);
  ranges_ = ranges_of(rest, limits.max_length - added - repeated_, limits);
  for (Range& range : ranges_) range = {range.begin + repeated_, range.end + repeated_};
  cut_behind(limits.most_windows);
}

void DividedText::cut_behind(size_t most_windows) {
  if (ranges_.size() <= most_windows) return;
  cut_ = ranges_.back().end - ranges_[most_windows - 1].end;
  ranges_.resize(most_windows);
}

std::vector<Range> DividedText::ranges_of(std::span<const Token> tokens, size_t room, const WindowLimits& limits) {
  switch (limits.ends) {
    case WindowEnds::words:
      return window_ranges(tokens, room, limits.overlap);
    case WindowEnds::tokens:
      return stepped_ranges(tokens.size(), room, limits.overlap);
  }
  __builtin_unreachable();
}

size_t DividedText::leading() const {
  using Kind = SpecialTemplate::Kind;
  const Kind divided = second_ ? Kind::second : Kind::first;
  size_t leading = second_ ? 0 : repeated_;
  for (const auto& piece : special_->pieces) {
    if (piece.kind == divided) break;
    leading += piece.kind == Kind::special ? piece.ids.size() : first_.size();
  }
  return leading;
}

Encoding DividedText::whole() const {
  const KeptTexts kept = second_ ? KeptTexts{.first = {.front = first_}, .second = {.front = *second_}}
                                 : KeptTexts{.first = {.front = first_}};
  Encoding encoding;
  put_together(*special_, SpecialTokens::add, kept, encoding);
  return encoding;
}

Encoding DividedText::window(size_t index) const {
  const Range& range = ranges_[index];
  const std::span<const Token> first(first_);
  const auto part = std::span(second_ ? *second_ : first_).subspan(range.begin, range.end - range.begin);
  const KeptTexts kept = second_ ? KeptTexts{.first = {.front = first}, .second = {.front = part}}
                                 : KeptTexts{.first = {.front = first.first(repeated_), .back = part}};
  Encoding encoding;
  put_together(*special_, SpecialTokens::add, kept, encoding);
  return encoding;
}

}  // namespace summand::text
