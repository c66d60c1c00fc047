#include "calibration/sample_texts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace summand {

TEST_CASE(
    "every sentence of the sample is in one of its texts, alone or in a paragraph, and both languages come early") {
  const auto texts = calibration::sample_texts();
  std::string all;
  for (const auto& text : texts) all += text + "\n";
  size_t sentences = 0;
  size_t alone = 0;
  for (const char* const language : {"english", "chinese"}) {
    std::ifstream file(std::string(SUMMAND_SAMPLE_TEXTS) + "/" + language + ".txt");
    REQUIRE(file.is_open());
    for (std::string line; std::getline(file, line);) {
      ++sentences;
      const size_t at = all.find(line);
      REQUIRE(at != std::string::npos);
      alone += std::ranges::count(texts, line) == 1 ? 1U : 0U;
    }
  }
  CHECK(sentences == 903);
  CHECK(alone == 363);
  CHECK(texts.size() == 399);
  const auto is_chinese = [](const std::string& text) { return static_cast<unsigned char>(text[0]) >= 0xE0; };
  CHECK(std::ranges::count_if(texts, is_chinese) == 66);
  CHECK(std::find_if(texts.begin(), texts.end(), is_chinese) - texts.begin() < 100);
  CHECK(!is_chinese(texts.front()));
  CHECK(std::ranges::none_of(texts, [](const std::string& text) { return text.empty(); }));
}

}  // namespace summand
