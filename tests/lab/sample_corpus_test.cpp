#include "lab/subject/sample_corpus.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/utf8.hpp"

namespace summand::lab {

TEST_CASE("the sample has 60 texts, 8 of them pairs, and none twice") {
  const auto& texts = sample_corpus();
  CHECK(texts.size() == 60);
  CHECK(std::ranges::count_if(texts, [](const SampleText& text) { return !text.text_pair.empty(); }) == 8);
  std::set<std::pair<std::string, std::string>> different;
  for (const SampleText& text : texts) {
    CHECK_FALSE(text.text.empty());
    CHECK(is_valid_utf8(text.text));
    CHECK(is_valid_utf8(text.text_pair));
    different.emplace(text.text, text.text_pair);
  }
  CHECK(different.size() == texts.size());
}

TEST_CASE("the sample's texts are of very different lengths") {
  const auto bytes = [](const SampleText& text) { return text.text.size(); };
  CHECK(bytes(std::ranges::min(sample_corpus(), {}, bytes)) < 15);
  CHECK(bytes(std::ranges::max(sample_corpus(), {}, bytes)) > 600);
}

}  // namespace summand::lab
