#include "text/vocabulary.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace summand::text {

namespace {

std::string refusal(const std::vector<Vocabulary::Token>& tokens) {
  try {
    (void)Vocabulary(tokens, "v");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("tokens are found by id and by text whatever the order they come in, of one that comes twice the last") {
  std::mt19937 random(7);
  for (const size_t step : {1, 3}) {
    std::map<std::string, int32_t> expected;
    std::vector<std::string> texts;
    // Beginnings of eight bytes and more that are equal, zero bytes, and bytes above 127, which come last.
    for (size_t i = 0; i < 3000; ++i) {
      std::string text = random() % 2 == 0 ? "equalbeg" : "";
      for (size_t length = random() % 4; length > 0; --length) text += "a\xFF\0z"[random() % 4];
      texts.push_back(std::move(text));
    }
    std::vector<Vocabulary::Token> tokens;
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto id = static_cast<int32_t>(i * step);
      tokens.push_back({texts[i], id});
      expected[texts[i]] = id;
    }
    for (int turn = 0; turn < 2; ++turn) {
      const Vocabulary vocabulary(tokens, "v");
      REQUIRE(vocabulary.tokens().size() == expected.size());
      auto at = expected.begin();
      for (const auto& [text, id] : vocabulary.tokens()) {
        CHECK(text == at->first);
        CHECK(id == at->second);
        CHECK(vocabulary.id(text) == id);
        CHECK(vocabulary.token(id) == text);
        ++at;
      }
      CHECK(!vocabulary.id("equal"));
      CHECK(!vocabulary.token(-1));
      CHECK(!vocabulary.token(static_cast<int32_t>(texts.size() * step)));
      // Once more in another order, where none comes twice.
      tokens.clear();
      for (const auto& [text, id] : expected) tokens.push_back({text, id});
    }
  }
}

TEST_CASE("an id that two tokens have, a negative one and one too large are refused by name") {
  CHECK(refusal({{"a", 0}, {"b", 1}, {"c", 0}}) == "[v] expected one token per id, got 'a' and 'c' with id 0");
  CHECK(refusal({{"a", 0}, {"a", 1}, {"b", 0}}) == "accepted");
  CHECK(refusal({{"a", -1}}) == "[v] token 'a': expected an id from 0 to 134217726, got -1");
  CHECK(refusal({{"a", 134217727}}) == "[v] token 'a': expected an id from 0 to 134217726, got 134217727");
  CHECK(Vocabulary({}, "v").tokens().empty());
}

TEST_CASE("a vocabulary that is moved keeps its tokens") {
  Vocabulary first(std::vector<Vocabulary::Token>{{"short", 0}, {"s", 1}}, "v");
  const Vocabulary second = std::move(first);
  CHECK(second.token(0) == "short");
  CHECK(second.id("s") == 1);
}

}  // namespace summand::text
