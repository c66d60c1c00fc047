#include "text/windows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "temporary_directory.hpp"
#include "text/tokenizer.hpp"

namespace summand::text {

namespace {

// Letters continue a word, so that a word of n letters has n tokens.
Tokenizer letters() {
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n中\n文\n";
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    vocabulary += std::string(1, letter) + "\n##" + std::string(1, letter) + "\n";
  }
  const TemporaryDirectory directory;
  return Tokenizer::from_vocabulary(directory.write("vocab.txt", vocabulary), Lowercase::yes);
}

std::string random_text(std::mt19937& random, size_t most_words, size_t longest_word) {
  static const std::vector<std::string> kOthers{"中", "文字", "[MASK]", "?", "\xFF", ""};
  std::string text;
  const size_t words = random() % (most_words + 1);
  for (size_t i = 0; i < words; ++i) {
    if (random() % 4 == 0) {
      text += kOthers[random() % kOthers.size()];
    } else {
      const size_t letters = 1 + random() % longest_word;
      for (size_t j = 0; j < letters; ++j) text += static_cast<char>('a' + random() % 26);
    }
    text += ' ';
  }
  return text;
}

std::vector<Token> tokens_of_words(const std::vector<size_t>& lengths) {
  std::vector<Token> tokens;
  for (size_t word = 0; word < lengths.size(); ++word) {
    for (size_t i = 0; i < lengths[word]; ++i) tokens.push_back({0, 0, 0, static_cast<int32_t>(word)});
  }
  return tokens;
}

size_t length_of_word(std::span<const int32_t> words, size_t place) {
  return static_cast<size_t>(std::ranges::count(words, words[place]));
}

bool within_a_word(std::span<const int32_t> words, size_t place) {
  return place > 0 && place < words.size() && words[place - 1] == words[place];
}

// What windows promise, of the word numbers of a text's tokens. @return how many boundaries lie inside a word
size_t check_ranges(std::span<const int32_t> words, const std::vector<Range>& ranges, size_t room, size_t overlap) {
  size_t inside = 0;
  REQUIRE(!ranges.empty());
  CHECK(ranges.front().begin == 0);
  CHECK(ranges.back().end == words.size());
  if (words.size() <= room) REQUIRE(ranges.size() == 1);
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto [begin, end] = ranges[i];
    REQUIRE(begin <= end);
    REQUIRE(end - begin <= room);
    for (const size_t place : {begin, end}) {
      if (!within_a_word(words, place)) continue;
      REQUIRE(length_of_word(words, place) > room);
      ++inside;
    }
    if (i + 1 == ranges.size()) break;
    const auto next = ranges[i + 1];
    REQUIRE(next.begin <= end);            // no token is left out
    REQUIRE(end - next.begin <= overlap);  // counts from 0
    REQUIRE(next.begin > begin);
    REQUIRE(next.end > end);  // so no window lies within a neighbour
    // The window could not have taken the next word too.
    size_t next_boundary = end + 1;
    while (within_a_word(words, next_boundary) && length_of_word(words, end) <= room) ++next_boundary;
    REQUIRE(next_boundary - begin > room);
  }
  return inside;
}

void check_same(const Encoding& left, const Encoding& right) {
  CHECK(left.ids == right.ids);
  CHECK(left.segments == right.segments);
  CHECK(left.offsets == right.offsets);
  CHECK(left.words == right.words);
  CHECK(left.special == right.special);
  CHECK(left.cut == right.cut);
}

// Whether a window is the sequence that special tokens make around tokens `kept` of `whole`, an uncut encoding.
void check_window(const Encoding& window, const Encoding& whole, const std::vector<size_t>& kept) {
  REQUIRE(window.ids.size() == kept.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    CHECK(window.ids[i] == whole.ids[kept[i]]);
    CHECK(window.segments[i] == whole.segments[kept[i]]);
    CHECK(window.offsets[i] == whole.offsets[kept[i]]);
    CHECK(window.words[i] == whole.words[kept[i]]);
    CHECK(window.special[i] == whole.special[kept[i]]);
  }
}

std::vector<size_t> numbers(size_t begin, size_t end) {
  std::vector<size_t> list;
  for (size_t i = begin; i < end; ++i) list.push_back(i);
  return list;
}

std::vector<size_t> joined(std::vector<size_t> list, const std::vector<size_t>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

}  // namespace

TEST_CASE("windows cover every token, end and begin between words, and share no more than asked") {
  const Tokenizer tokenizer = letters();
  std::mt19937 random(1);
  size_t divided = 0;
  size_t inside_words = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = random_text(random, 40, i % 2 == 0 ? 5 : 30);
    const size_t max_length = 3 + random() % 30;
    const size_t room = max_length - 2;
    const size_t overlap = random() % room;
    const DividedText windows = tokenizer.divide(text, {.max_length = max_length, .overlap = overlap});
    const Encoding whole = tokenizer.encode(text);
    const std::span<const int32_t> words = std::span(whole.words).subspan(1, whole.words.size() - 2);
    std::vector<Range> ranges;
    for (size_t w = 0; w < windows.windows(); ++w) {
      const auto [begin, end] = ranges.emplace_back(windows.range(w));
      auto kept = joined({0}, numbers(begin + 1, end + 1));
      kept.push_back(whole.ids.size() - 1);
      check_window(windows.window(w), whole, kept);
    }
    inside_words += check_ranges(words, ranges, room, overlap);
    divided += windows.windows() > 1 ? 1 : 0;
    if (windows.windows() == 1) check_same(windows.window(0), tokenizer.encode(text, {.max_length = max_length}));
  }
  CHECK(divided > 2000);
  CHECK(inside_words > 100);  // words longer than a window do occur
}

TEST_CASE("windows behind the greatest number are cut, and so are their tokens") {
  const Tokenizer tokenizer = letters();
  std::mt19937 random(8);
  size_t cut = 0;
  for (int i = 0; i < 500; ++i) {
    const std::string text = random_text(random, 40, 5);
    const std::string first = random_text(random, 2, 2);
    const WindowLimits limits{.max_length = 20, .overlap = random() % 4, .most_windows = 1 + random() % 4};
    WindowLimits all = limits;
    all.most_windows = WindowLimits().most_windows;
    for (const bool pair : {false, true}) {
      const auto divided = [&](const WindowLimits& by) {
        return pair ? tokenizer.divide_pair(first, text, by) : tokenizer.divide(text, by);
      };
      const DividedText whole = divided(all), some = divided(limits);
      CHECK(whole.cut() == 0);
      REQUIRE(some.windows() == std::min(whole.windows(), limits.most_windows));
      for (size_t w = 0; w < some.windows(); ++w) check_same(some.window(w), whole.window(w));
      CHECK(some.cut() == whole.range(whole.windows() - 1).end - some.range(some.windows() - 1).end);
      cut += some.cut() > 0 ? 1 : 0;
    }
  }
  CHECK(cut > 100);
}

TEST_CASE("of a pair the first text stands in every window and the second is divided") {
  const Tokenizer tokenizer = letters();
  std::mt19937 random(2);
  size_t divided = 0;
  size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string first = random_text(random, 4, 5);
    const std::string second = random_text(random, 40, 6);
    const size_t max_length = 10 + random() % 20;
    const Encoding whole = tokenizer.encode_pair(first, second);
    const size_t first_size = tokenizer.encode(first).ids.size() - 2;
    const size_t overlap = random() % 3;
    if (whole.ids.size() > max_length && first_size + 3 + overlap >= max_length) {
      CHECK_THROWS_AS((void)tokenizer.divide_pair(first, second, {.max_length = max_length, .overlap = overlap}),
                      TextError);
      ++refused;
      continue;
    }
    const DividedText windows = tokenizer.divide_pair(first, second, {.max_length = max_length, .overlap = overlap});
    if (whole.ids.size() <= max_length) {
      CHECK(windows.windows() == 1);
      check_same(windows.window(0), whole);
      continue;
    }
    ++divided;
    const std::span<const int32_t> words =
        std::span(whole.words).subspan(first_size + 2, whole.words.size() - first_size - 3);
    std::vector<Range> ranges;
    for (size_t w = 0; w < windows.windows(); ++w) {
      const auto [begin, end] = ranges.emplace_back(windows.range(w));
      auto kept = joined(numbers(0, first_size + 2), numbers(first_size + 2 + begin, first_size + 2 + end));
      kept.push_back(whole.ids.size() - 1);
      check_window(windows.window(w), whole, kept);
    }
    check_ranges(words, ranges, max_length - first_size - 3, overlap);
  }
  CHECK(divided > 500);
  CHECK(refused > 100);
}

TEST_CASE("the words of a prompt stand in every window") {
  const Tokenizer tokenizer = letters();
  const std::string prompt = "ab cd: ";
  const std::string text = prompt + "efg hij klm nop";
  const Encoding whole = tokenizer.encode(text);
  const DividedText windows = tokenizer.divide(text, {.max_length = 13, .repeated_bytes = prompt.size()});
  REQUIRE(windows.windows() == 2);
  check_window(windows.window(0), whole, joined(numbers(0, 12), {18}));
  check_window(windows.window(1), whole, joined(numbers(0, 6), numbers(12, 19)));
  SUBCASE("a word that begins in the prompt and ends in the text belongs to it") {
    const DividedText merged = tokenizer.divide("abcd ef gh", {.max_length = 8, .repeated_bytes = 2});
    REQUIRE(merged.windows() == 2);
    CHECK(merged.window(1).words == std::vector<int32_t>{-1, 0, 0, 0, 0, 2, 2, -1});
  }
  SUBCASE("one that leaves no room is refused") {
    CHECK_THROWS_WITH_AS(
        (void)tokenizer.divide(text, {.max_length = 7, .repeated_bytes = prompt.size()}),
        "[windows] expected windows of more than 7 tokens, since the prompt and special tokens take 7 of "
        "each, got 7",
        TextError);
  }
}

TEST_CASE("words already split are divided between the words given") {
  const Tokenizer tokenizer = letters();
  const std::vector<std::string> words{"a b", "", "c d e", "f"};
  const DividedText windows = tokenizer.divide_words(words, {.max_length = 6});
  REQUIRE(windows.windows() == 2);
  CHECK(windows.window(0).words == std::vector<int32_t>{-1, 0, 0, -1});
  CHECK(windows.window(1).words == std::vector<int32_t>{-1, 2, 2, 2, 3, -1});
}

TEST_CASE("an empty text is one window of special tokens") {
  const Tokenizer tokenizer = letters();
  const DividedText windows = tokenizer.divide("", {.max_length = 2});
  REQUIRE(windows.windows() == 1);
  check_same(windows.window(0), tokenizer.encode(""));
}

TEST_CASE("a word longer than a window is cut at tokens") {
  using Ranges = std::vector<Range>;
  CHECK(window_ranges(tokens_of_words({10}), 4, 0) == Ranges{{0, 4}, {4, 8}, {8, 10}});
  CHECK(window_ranges(tokens_of_words({10}), 4, 2) == Ranges{{0, 4}, {2, 6}, {4, 8}, {6, 10}});
  CHECK(window_ranges(tokens_of_words({1, 6, 2}), 4, 0) == Ranges{{0, 4}, {4, 7}, {7, 9}});
}

TEST_CASE("an overlap gives way where the next word needs the room") {
  using Ranges = std::vector<Range>;
  CHECK(window_ranges(tokens_of_words({1, 1, 1, 1, 3}), 4, 2) == Ranges{{0, 4}, {3, 7}});
  CHECK(window_ranges(tokens_of_words({1, 1, 1, 1, 4}), 4, 2) == Ranges{{0, 4}, {4, 8}});
  CHECK(window_ranges(tokens_of_words({2, 2, 2}), 4, 3) == Ranges{{0, 4}, {2, 6}});
}

TEST_CASE("windows that end at tokens each begin a step after the one before, and cut words") {
  using Ranges = std::vector<Range>;
  CHECK(stepped_ranges(10, 4, 0) == Ranges{{0, 4}, {4, 8}, {8, 10}});
  CHECK(stepped_ranges(10, 4, 2) == Ranges{{0, 4}, {2, 6}, {4, 8}, {6, 10}});
  CHECK(stepped_ranges(4, 4, 3) == Ranges{{0, 4}});
  CHECK(stepped_ranges(5, 4, 3) == Ranges{{0, 4}, {1, 5}});
  CHECK(stepped_ranges(0, 4, 1) == Ranges{{0, 0}});
  const Tokenizer tokenizer = letters();
  const DividedText windows =
      tokenizer.divide_pair("a b", "cde f", {.max_length = 8, .overlap = 1, .ends = WindowEnds::tokens});
  REQUIRE(windows.windows() == 2);
  CHECK(windows.leading() == 4);
  CHECK(windows.range(0) == Range{0, 3});
  CHECK(windows.range(1) == Range{2, 4});
  CHECK(windows.window(1).words == std::vector<int32_t>{-1, 0, 1, -1, 0, 1, -1});
  CHECK(windows.window(1).offsets[4] == Range{2, 3});
  CHECK(tokenizer.divide("a b", {.max_length = 8}).leading() == 1);
}

TEST_CASE("what leaves no room is refused, saying what there is") {
  const Tokenizer tokenizer = letters();
  CHECK_THROWS_WITH_AS(
      (void)tokenizer.divide_pair("abcdef", "gh", {.max_length = 9}),
      "[windows] expected windows of more than 9 tokens, since the first text and special tokens take 9 of "
      "each, got 9",
      TextError);
  CHECK_THROWS_WITH_AS(
      (void)tokenizer.divide("a b c d e f", {.max_length = 6, .overlap = 4}),
      "[windows] expected an overlap of less than 4 tokens, since special tokens take 2 of the 6 of each "
      "window, got 4",
      TextError);
  CHECK_THROWS_AS((void)tokenizer.divide("a b", {.max_length = 1}), TextError);
}

TEST_CASE("a word of a million tokens is divided without looking at all of it for each window") {
  const auto ranges = window_ranges(tokens_of_words({1'000'000}), 10, 0);
  CHECK(ranges.size() == 100'000);
  CHECK(ranges.back() == Range{999'990, 1'000'000});
}

}  // namespace summand::text
