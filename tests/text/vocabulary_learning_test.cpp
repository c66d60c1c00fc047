#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/learning/counted_words.hpp"
#include "text/learning/learn.hpp"
#include "text/learning/merges.hpp"
#include "text/temporary_directory.hpp"
#include "text/tokenizer.hpp"
#include "text/tokenizer_files.hpp"
#include "text/unicode.hpp"

namespace summand::text {

namespace {

constexpr NormalizerSettings kUncased{};
constexpr NormalizerSettings kCased{.strip_accents = false, .lowercase = false};

using Tokens = std::vector<std::string>;

/// The slow way: everything is counted anew before every merge. Words of ASCII letters only.
class PlainLearner {
 public:
  explicit PlainLearner(const std::vector<CountedWord>& words) {
    for (const auto token : kSpecialTokens) tokens_.emplace_back(token);
    std::set<char> letters;
    for (const auto& [word, count] : words) letters.insert(word.begin(), word.end());
    for (const char letter : letters) tokens_.emplace_back(1, letter);
    for (const auto& [word, count] : words) {
      Tokens pieces;
      for (size_t i = 0; i < word.size(); ++i) pieces.push_back((i ? "##" : "") + std::string(1, word[i]));
      for (const auto& piece : pieces) add(piece);
      words_.emplace_back(pieces, static_cast<int64_t>(count));
    }
  }

  /// @return whether there was a pair
  bool merge_one(MergeRule rule, int64_t min_count) {
    count();
    const Pair* best = nullptr;
    for (const auto& [pair, count] : pairs_) {
      if (count >= min_count && (best == nullptr || before(rule, pair, *best))) best = &pair;
    }
    if (best == nullptr) return false;
    const auto [left, right] = *best;
    const auto merged = left + (right.starts_with("##") ? right.substr(2) : right);
    makes_a_piece_twice_ |= !add(merged);
    for (auto& [pieces, count] : words_) {
      Tokens result;
      for (size_t i = 0; i < pieces.size(); ++i) {
        const bool here = i + 1 < pieces.size() && pieces[i] == left && pieces[i + 1] == right;
        result.push_back(here ? merged : pieces[i]);
        i += here ? 1 : 0;
      }
      pieces = result;
    }
    return true;
  }

  [[nodiscard]] int64_t largest_count() {
    count();
    int64_t largest = 0;
    for (const auto& [pair, count] : pairs_) largest = std::max(largest, count);
    return largest;
  }
  [[nodiscard]] const Tokens& tokens() const { return tokens_; }
  /// Whether two pairs made the same piece: then `tokenizers` counts in a way of its own.
  [[nodiscard]] bool makes_a_piece_twice() const { return makes_a_piece_twice_; }

 private:
  using Pair = std::pair<std::string, std::string>;

  bool add(const std::string& token) {
    if (std::ranges::count(tokens_, token) > 0) return false;
    tokens_.push_back(token);
    return true;
  }

  void count() {
    pairs_.clear();
    pieces_.clear();
    for (const auto& [pieces, count] : words_) {
      for (const auto& piece : pieces) pieces_[piece] += count;
      for (size_t i = 1; i < pieces.size(); ++i) pairs_[{pieces[i - 1], pieces[i]}] += count;
    }
  }

  bool before(MergeRule rule, const Pair& a, const Pair& b) {
    const auto score = [&](const Pair& pair) {
      const auto counts = static_cast<double>(pieces_[pair.first]) * static_cast<double>(pieces_[pair.second]);
      return rule == MergeRule::likelihood ? static_cast<double>(pairs_[pair]) / counts : 0;
    };
    if (score(a) != score(b)) return score(a) > score(b);
    if (pairs_[a] != pairs_[b]) return pairs_[a] > pairs_[b];
    const auto id = [&](const std::string& token) { return std::ranges::find(tokens_, token) - tokens_.begin(); };
    return std::pair(id(a.first), id(a.second)) < std::pair(id(b.first), id(b.second));
  }

  Tokens tokens_;
  std::vector<std::pair<Tokens, int64_t>> words_;
  std::map<Pair, int64_t> pairs_;
  std::map<std::string, int64_t> pieces_;
  bool makes_a_piece_twice_ = false;
};

std::vector<CountedWord> random_words(std::mt19937& random) {
  std::map<std::string, uint64_t> words;
  const auto letters = 1 + random() % 4;
  const unsigned counts = random() % 2 != 0 ? 3 : 1000;  // small ones make ties
  for (unsigned i = 0; i < 2 + random() % 12; ++i) {
    std::string word;
    for (const size_t length = 1 + random() % 9; word.size() < length;)
      word += static_cast<char>('a' + random() % letters);
    words[word] += 1 + random() % counts;
  }
  std::vector<CountedWord> list;
  for (const auto& [word, count] : words) list.push_back({word, count});
  return list;
}

Tokens learned(const std::vector<CountedWord>& words, MergeRule rule, size_t size,
               std::optional<uint64_t> min_count = 1) {
  return learn_vocabulary(words, {.size = size, .rule = rule, .min_count = min_count, .alphabet = SIZE_MAX}).tokens;
}

Tokens behind(const Tokens& tokens, size_t place) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(place), tokens.end()};
}

std::vector<CountedWord> counted(const std::vector<std::string>& texts, const NormalizerSettings& settings,
                                 int threads = 1) {
  WordCounts counts(settings, threads);
  counts.add(texts);
  return std::move(counts).sorted();
}

constexpr size_t kAll = 1000;  // more tokens than these words give

}  // namespace

TEST_CASE("merges by likelihood are those of counting everything anew before each, ties included") {
  std::mt19937 random(1);
  size_t merges = 0;
  for (int corpus = 0; corpus < 1500; ++corpus) {
    const auto words = random_words(random);
    const uint64_t min_count = 1 + random() % 4;
    PlainLearner plain(words);
    while (plain.merge_one(MergeRule::likelihood, static_cast<int64_t>(min_count))) ++merges;
    REQUIRE(learned(words, MergeRule::likelihood, kAll, min_count) == plain.tokens());
  }
  CHECK(merges > 10'000);
}

TEST_CASE("where no minimum is given it falls by halves from the most frequent pair's count") {
  std::mt19937 random(2);
  for (int corpus = 0; corpus < 500; ++corpus) {
    const auto words = random_words(random);
    PlainLearner plain(words);
    for (int64_t least = plain.largest_count(); least >= 2; least = least > 2 ? std::max<int64_t>(least / 2, 2) : 0) {
      while (plain.merge_one(MergeRule::likelihood, least)) continue;
    }
    REQUIRE(learned(words, MergeRule::likelihood, kAll, std::nullopt) == plain.tokens());
  }
}

TEST_CASE("merges by frequency are those of counting everything anew, unless two pairs make one piece") {
  std::mt19937 random(3);
  size_t compared = 0;
  for (int corpus = 0; corpus < 3000; ++corpus) {
    const auto words = random_words(random);
    PlainLearner plain(words);
    while (plain.merge_one(MergeRule::frequency, 1)) continue;
    if (plain.makes_a_piece_twice()) continue;
    ++compared;
    REQUIRE(learned(words, MergeRule::frequency, kAll) == plain.tokens());
  }
  CHECK(compared > 500);
}

TEST_CASE("a smaller vocabulary is the beginning of a larger one") {
  std::mt19937 random(4);
  for (int corpus = 0; corpus < 100; ++corpus) {
    const auto words = random_words(random);
    for (const auto rule : {MergeRule::likelihood, MergeRule::frequency}) {
      const auto all = learned(words, rule, kAll);
      const auto characters = PlainLearner(words).tokens().size();
      for (size_t size = characters; size <= all.size(); ++size) {
        CHECK(learned(words, rule, size) == Tokens(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size)));
      }
    }
  }
}

TEST_CASE("likelihood prefers what is never apart, frequency what is often together") {
  // c and d are always together, a and b often; e makes b common.
  const std::vector<CountedWord> words{{"ab", 50}, {"ae", 30}, {"cd", 5}, {"eb", 60}};
  CHECK(behind(learned(words, MergeRule::likelihood, 14), 13) == Tokens{"cd"});
  CHECK(behind(learned(words, MergeRule::frequency, 14), 13) == Tokens{"eb"});
}

TEST_CASE("of equal pairs the one with the lower ids is first, by either rule") {
  const std::vector<CountedWord> words{{"ab", 3}, {"cd", 3}, {"ef", 3}};
  for (const auto rule : {MergeRule::likelihood, MergeRule::frequency}) {
    CHECK(behind(learned(words, rule, kAll), 14) == Tokens{"ab", "cd", "ef"});
  }
}

TEST_CASE("of equal ratios the more frequent pair is first") {
  // 2 / (2 · 4), twice, and 4 / (4 · 4)
  const auto tokens = behind(learned({{"ab", 2}, {"cb", 2}, {"de", 4}}, MergeRule::likelihood, kAll), 12);
  CHECK(tokens == Tokens{"de", "ab", "cb"});
}

TEST_CASE("pairs that stand side by side less often than the minimum stay apart") {
  const std::vector<CountedWord> words{{"ab", 3}, {"cd", 2}};
  for (const auto rule : {MergeRule::likelihood, MergeRule::frequency}) {
    CHECK(behind(learned(words, rule, kAll, 3), 11) == Tokens{"ab"});
    CHECK(behind(learned(words, rule, kAll, 2), 11).size() == 2);
    CHECK(behind(learned(words, rule, kAll, 4), 11).empty());
  }
}

TEST_CASE("by likelihood nothing is learned from words that are too long to be tokenized") {
  const std::vector<CountedWord> words{{"ab", 3}, {std::string(100, 'x'), 2}, {std::string(101, 'y'), 9}};
  const auto likely = learned(words, MergeRule::likelihood, kAll);
  CHECK(std::ranges::count(likely, "x") == 1);
  CHECK(std::ranges::count(likely, "y") == 0);
  const auto frequent = learned(words, MergeRule::frequency, kAll);
  CHECK(std::ranges::count(frequent, "y") == 1);
}

TEST_CASE("the alphabet keeps the most frequent characters, of equal ones those with the lower code point") {
  const std::vector<CountedWord> words{{"abc", 5}, {"ad", 1}, {"e", 1}, {"中", 9}};
  const LearnedVocabulary limited =
      learn_vocabulary(words, {.size = 5 + 5 + 3, .rule = MergeRule::frequency, .min_count = 1, .alphabet = 5});
  CHECK(behind(limited.tokens, 5) == Tokens{"a", "b", "c", "d", "中", "##b", "##c", "##d"});
  CHECK(limited.characters == 5);
  CHECK(limited.characters_left_out == 1);
}

TEST_CASE("a size without room for the characters is refused with the size that has") {
  const std::vector<CountedWord> words{{"ab", 5}, {"ba", 1}};
  const auto learn = [&](size_t size) { return learn_vocabulary(words, {.size = size, .alphabet = SIZE_MAX}); };
  CHECK(learn(9).tokens.size() == 9);
  CHECK_THROWS_WITH_AS((void)learn(8),
                       "[vocabulary] expected a size of at least 9 (5 special tokens, 2 characters, 2 of them also "
                       "behind ##) or a smaller alphabet, got 8",
                       ConfigError);
}

TEST_CASE("words are BERT's: lower case without accents, punctuation and ideographs alone") {
  using Words = std::vector<CountedWord>;
  CHECK(counted({"Élan, élan 我们ab\t\u3000x!", "", " "}, kUncased) ==
        Words{{"!", 1}, {",", 1}, {"ab", 1}, {"elan", 2}, {"x", 1}, {"们", 1}, {"我", 1}});
  CHECK(counted({"Élan [MASK]"}, kCased) == Words{{"MASK", 1}, {"[", 1}, {"]", 1}, {"Élan", 1}});
  CHECK(counted({"a\xff"
                 "b"},
                kUncased) == Words{{"ab", 1}});
}

TEST_CASE("the number of threads changes no count") {
  std::mt19937 random(5);
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) {
    for (const auto& [word, count] : random_words(random)) texts.push_back(word + " " + word);
  }
  const auto one = counted(texts, kUncased);
  CHECK(one == counted(texts, kUncased, 8));
  CHECK(one.size() > 1000);
}

TEST_CASE("words that are counted are words that are tokenized, whatever the characters") {
  const TemporaryDirectory directory;
  std::mt19937 random(6);
  for (const auto lowercase : {Lowercase::yes, Lowercase::no}) {
    const auto& settings = lowercase == Lowercase::yes ? kUncased : kCased;
    const auto tokenizer =
        Tokenizer::from_vocabulary(directory.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"), lowercase);
    for (int i = 0; i < 2000; ++i) {
      std::string text;
      for (int character = 0; character < 30; ++character) {
        const auto code_point = static_cast<char32_t>(random() % (random() % 4 ? 0x3100 : 0x20000));
        append_utf8(text, code_point >= 0xD800 && code_point < 0xE000 ? U' ' : code_point);
      }
      size_t words = 0;
      for_each_word(text, settings, [&words](std::string_view) { ++words; });
      REQUIRE(words == tokenizer.encode(text, {.special_tokens = SpecialTokens::omit}).ids.size());
    }
  }
}

TEST_CASE("no character of a word is one that a line of vocab.txt loses at its end") {
  for (char32_t character = 0; character < kCodePoints; ++character) {
    const uint16_t flags = unicode_flags(character);
    if (flags & kSpace) CHECK((flags & (kWhitespace | kRemoved | kBlank)) != 0);
  }
}

TEST_CASE("a vocabulary that was written is read again, from either file") {
  const Tokens tokens{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "\"", "\\", "中", "##b", "ab"};
  for (const auto lowercase : {Lowercase::yes, Lowercase::no}) {
    const TemporaryDirectory directory;
    for (const auto& [name, content] : tokenizer_files(tokens, lowercase)) directory.write(name, content);
    const auto from_json = Tokenizer::load(directory.path());
    std::filesystem::remove(directory.path() / "tokenizer.json");
    const auto from_lines = Tokenizer::load(directory.path());
    for (const auto* tokenizer : {&from_json, &from_lines}) {
      CHECK(tokenizer->notices().empty());
      CHECK(tokenizer->vocabulary_size() == tokens.size());
      for (size_t id = 0; id < tokens.size(); ++id) CHECK(tokenizer->token(static_cast<int32_t>(id)) == tokens[id]);
      CHECK(tokenizer->normalizer() == (lowercase == Lowercase::yes ? kUncased : kCased));
      CHECK(tokenizer->mask_id() == 4);
    }
  }
}

}  // namespace summand::text
