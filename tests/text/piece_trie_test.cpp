#include "text/piece_trie.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace summand::text {

namespace {

using Set = PieceTrie::Set;

// The longest prefix of the text that is a key, by trying all.
std::optional<PieceTrie::Match> longest_by_search(const std::map<std::string, int32_t>& keys, const std::string& text) {
  for (size_t length = text.size(); length > 0; --length) {
    const auto found = keys.find(text.substr(0, length));
    if (found != keys.end()) return PieceTrie::Match{found->second, static_cast<uint32_t>(length)};
  }
  return std::nullopt;
}

std::string random_string(std::mt19937& random, unsigned letters, size_t longest) {
  std::string text;
  const size_t length = 1 + random() % longest;
  for (size_t i = 0; i < length; ++i) text += static_cast<char>(letters == 256 ? random() : 'a' + random() % letters);
  return text;
}

}  // namespace

TEST_CASE("an empty trie finds nothing") {
  const PieceTrie trie;
  for (int byte = 0; byte < 256; ++byte) {
    CHECK_FALSE(trie.longest(std::string(3, static_cast<char>(byte)), Set::beginning));
    CHECK_FALSE(trie.longest(std::string(3, static_cast<char>(byte)), Set::continuing));
  }
}

TEST_CASE("the longest match is what a search over all keys finds, in both sets") {
  std::mt19937 random(1);
  for (const unsigned letters : {2U, 26U, 256U}) {
    std::map<std::string, int32_t> beginning;
    std::map<std::string, int32_t> continuing;
    for (int32_t id = 0; id < 3000; ++id) {
      (id % 3 ? beginning : continuing).emplace(random_string(random, letters, 9), id);
    }
    const PieceTrie trie({beginning.begin(), beginning.end()}, {continuing.begin(), continuing.end()});
    int found = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::string text = random_string(random, letters, 14);
      for (const auto& [keys, set] : {std::pair(&beginning, Set::beginning), std::pair(&continuing, Set::continuing)}) {
        const auto expected = longest_by_search(*keys, text);
        const auto got = trie.longest(text, set);
        REQUIRE(expected.has_value() == got.has_value());
        if (!expected) continue;
        REQUIRE(expected->id == got->id);
        REQUIRE(expected->bytes == got->bytes);
        ++found;
      }
    }
    CHECK(found > 10'000);
    for (const auto& [key, id] : beginning) REQUIRE(trie.find(key, Set::beginning) == id);
    for (const auto& [key, id] : continuing) REQUIRE(trie.find(key, Set::continuing) == id);
  }
}

}  // namespace summand::text
