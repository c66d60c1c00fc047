// Which tokens a text may get.
#include "lab/subject/reached_ids.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "support/tiny_directory.hpp"
#include "text/normalizer.hpp"
#include "text/tokenizer.hpp"
#include "text/unicode.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

constexpr size_t kLongestWord = 100;  // in characters: BERT's
const std::vector<std::string> kSpecial{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

bool is_special(std::string_view token) {
  return std::ranges::count(kSpecial, token) > 0;
}

text::Tokenizer tokenizer_of(const std::vector<std::string>& tokens, Lowercase lowercase) {
  const test::TinyDirectory directory("reached_ids");
  std::string lines;
  for (const auto& token : tokens) lines += token + "\n";
  directory.write("vocab.txt", lines);
  return text::Tokenizer::from_vocabulary(std::filesystem::path(directory.name()) / "vocab.txt", lowercase);
}

std::set<std::string> reached_of(const text::Tokenizer& tokenizer) {
  std::set<std::string> tokens;
  const auto rows = static_cast<Eigen::Index>(tokenizer.vocabulary_size());
  for (const auto id : reached_ids(tokenizer, rows)) tokens.emplace(tokenizer.token(static_cast<int32_t>(id)));
  return tokens;
}

using Tokens = std::set<std::string>;

/// Of a vocabulary of special tokens and those given, which of the latter a text reaches.
Tokens reached(const Tokens& given, Lowercase lowercase = Lowercase::yes) {
  std::vector<std::string> tokens = kSpecial;
  tokens.insert(tokens.end(), given.begin(), given.end());
  Tokens found = reached_of(tokenizer_of(tokens, lowercase));
  for (const auto& special : kSpecial) CHECK(found.erase(special) == 1);
  return found;
}

/// The same question put to the characters alone, without asking a tokenizer.
bool is_spelt_by_a_word(std::string_view token, text::NormalizerSettings settings) {
  const bool continues = token.size() > 2 && token.starts_with("##");
  if (continues) token.remove_prefix(2);
  settings.handle_chinese_chars = false;  // its spaces are no part of a word
  if (token.empty() || text::normalize(token, settings).text != token) return false;
  size_t characters = 0;
  bool apart = false;
  for (const char* at = token.data(); at != token.data() + token.size(); ++characters) {
    const auto decoded = decode_valid_utf8(at);
    const auto flags = text::unicode_flags(decoded.code_point);
    if ((flags & (text::kRemoved | text::kBlank | text::kWhitespace)) != 0) return false;
    apart = apart || (flags & (text::kPunctuation | text::kIdeograph)) != 0;
    at += decoded.bytes;
  }
  if (apart) return characters == 1 && !continues;
  return characters + (continues ? 1 : 0) <= kLongestWord;
}

}  // namespace

TEST_CASE("no text reaches free tokens, nor those that punctuation, an ideograph or white space cuts") {
  const Tokens some{"a", "s", ".", "中", "as", "##s", "##ing", "##2"};
  Tokens all = some;
  for (const char* one : {"[unused0]", "...", "##.", "##中", "中a", "a.", "##a-b", "##", "a b", "##s s", "a\u00ad"}) {
    all.emplace(one);
  }
  for (const auto lowercase : {Lowercase::yes, Lowercase::no}) CHECK(reached(all, lowercase) == some);
}

TEST_CASE("what lower-casing takes away is reached in cased vocabularies alone") {
  const Tokens plain{"a", "e", "##e", "ß"};
  Tokens all = plain;
  for (const char* one : {"É", "é", "A", "##E", "##é", "##\u0301", "aB"}) all.emplace(one);
  CHECK(reached(all) == plain);
  CHECK(reached(all, Lowercase::no) == all);
}

TEST_CASE("no word is longer than the longest, and what continues one has a letter before it") {
  const std::string longest(kLongestWord, 'x');
  const std::string rest = "##" + std::string(kLongestWord - 1, 'y');
  CHECK(reached({"a", longest, longest + "x", rest, rest + "y"}) == Tokens{"a", longest, rest});
  CHECK(reached({".", "中", "##s"}) == Tokens{".", "中"});
}

TEST_CASE("a piece is reached behind any letter that leaves it over") {
  CHECK(reached({"a", "as", "b", "##s"}) == Tokens{"a", "as", "b", "##s"});
  CHECK(reached({"a", "as", "##s"}) == Tokens{"a", "as"});
}

TEST_CASE("nothing reaches rows behind the vocabulary, nor tokens that have no row") {
  std::vector<std::string> tokens = kSpecial;
  tokens.insert(tokens.end(), {"a", "b"});
  const auto tokenizer = tokenizer_of(tokens, Lowercase::yes);
  CHECK(reached_ids(tokenizer, 20).size() == 7);
  CHECK(reached_ids(tokenizer, 6) == std::vector<Eigen::Index>{0, 1, 2, 3, 4, 5});
  CHECK(reached_ids(tokenizer, 0).empty());
}

TEST_CASE("of BERT's vocabularies every token is reached whose characters let it, and no other") {
  for (const std::string name : {"bert-base-uncased", "bert-base-cased", "bert-base-chinese"}) {
    for (const auto lowercase : {Lowercase::yes, Lowercase::no}) {
      CAPTURE(name);
      CAPTURE((lowercase == Lowercase::yes));
      const auto file = std::filesystem::path(SUMMAND_TEST_DATA) / "vocab" / (name + ".txt");
      const auto tokenizer = text::Tokenizer::from_vocabulary(file, lowercase);
      const Tokens found = reached_of(tokenizer);
      std::string others;
      for (int32_t id = 0; id < static_cast<int32_t>(tokenizer.vocabulary_size()); ++id) {
        const auto token = tokenizer.token(id);
        const bool expected = is_special(token) || is_spelt_by_a_word(token, tokenizer.normalizer());
        if (found.contains(std::string(token)) != expected) others += std::string(token) + " ";
      }
      CHECK(others == "");
      CHECK(found.size() < tokenizer.vocabulary_size());
    }
  }
}
