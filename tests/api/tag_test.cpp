#include "api/tag.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/matrix.hpp"

using namespace summand;
using namespace summand::api;

namespace {

const model::Labels kLabels{{"O", "B-A", "I-A", "B-B", "I-B", "C"}};

/// Pieces of words, so that a test sees where words begin.
text::Tokenizer tokenizer() {
  const auto path = std::filesystem::temp_directory_path() / ("summand_tag_" + std::to_string(::getpid()) + ".txt");
  std::ofstream(path) << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nx\n##y\n##z\n.\n";
  auto made = text::Tokenizer::from_vocabulary(path, text::Lowercase::yes);
  std::filesystem::remove(path);
  return made;
}

/// The label that a token is given, and its probability; the rest is shared by the others.
struct Guess {
  size_t label;
  double probability;
};

struct Example {
  text::InputRecord record;
  std::vector<Guess> guesses;  ///< of the tokens between [CLS] and [SEP]
};

std::vector<Tag> tags(const Example& example, Aggregation aggregation) {
  const auto made = tokenizer();
  const auto encoding =
      example.record.words ? made.encode_words(*example.record.words) : made.encode(example.record.text);
  REQUIRE(encoding.ids.size() == example.guesses.size() + 2);
  Matrix<float> logits(encoding.ids.size(), kLabels.size());
  logits(0, 1) = 9;  // specials have no tags, whatever the model says
  for (size_t i = 0; i < example.guesses.size(); ++i) {
    const auto& [label, probability] = example.guesses[i];
    const double others = (1 - probability) / static_cast<double>(kLabels.size() - 1);
    for (size_t j = 0; j < kLabels.size(); ++j) {
      logits(i + 1, j) = static_cast<float>(std::log(j == label ? probability : others));
    }
  }
  return tags_of(made, kLabels, {example.record, encoding, logits.view()}, aggregation);
}

text::InputRecord text_of(const std::string& text) {
  text::InputRecord record;
  record.text = text;
  return record;
}

struct Expected {
  std::string label, word;
  double score;
  Range bytes;
};

void check(const std::vector<Tag>& got, const std::vector<Expected>& expected) {
  REQUIRE(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i].label == expected[i].label);
    CHECK(got[i].word == expected[i].word);
    CHECK(got[i].score == doctest::Approx(expected[i].score).epsilon(1e-6));
    CHECK(got[i].bytes == expected[i].bytes);
  }
}

constexpr size_t kO = 0, kBeginA = 1, kInA = 2, kBeginB = 3, kInB = 4, kC = 5;

}  // namespace

TEST_CASE("without aggregation every token has its label, and O and specials have none") {
  check(tags({text_of("xy x."), {{kBeginA, 0.9}, {kInA, 0.8}, {kO, 0.7}, {kC, 0.6}}}, Aggregation::none),
        {{"B-A", "x", 0.9, {0, 1}}, {"I-A", "##y", 0.8, {1, 2}}, {"C", ".", 0.6, {4, 5}}});
}

TEST_CASE("simple puts neighbours of one name together, and a beginning begins anew") {
  const Example example{text_of("x x x x x x"),
                        {{kBeginA, 0.9}, {kInA, 0.7}, {kBeginA, 0.6}, {kInB, 0.8}, {kInB, 0.6}, {kO, 0.9}}};
  check(tags(example, Aggregation::simple),
        {{"A", "x x", 0.8, {0, 3}}, {"A", "x", 0.6, {4, 5}}, {"B", "x x", 0.7, {6, 9}}});
}

TEST_CASE("a word is labelled by its first token, its tokens' mean or its surest token") {
  const Example example{text_of("xyz"), {{kBeginB, 0.5}, {kInA, 0.6}, {kInA, 0.55}}};
  check(tags(example, Aggregation::simple), {{"B", "x", 0.5, {0, 1}}, {"A", "##yz", 0.575, {1, 3}}});
  check(tags(example, Aggregation::first), {{"B", "xyz", 0.5, {0, 3}}});
  check(tags(example, Aggregation::max), {{"A", "xyz", 0.6, {0, 3}}});
  // I-A: (0.5 / 5 + 0.6 + 0.55) / 3
  check(tags(example, Aggregation::average), {{"A", "xyz", (0.1 + 0.6 + 0.55) / 3, {0, 3}}});
}

TEST_CASE("words already split give their numbers, and bytes of the words with one space between them") {
  Example example;
  example.record.words = {"xy", "", "€", "x"};
  example.guesses = {{kBeginA, 0.9}, {kInA, 0.9}, {kInA, 0.9}, {kBeginB, 0.9}};
  const auto got = tags(example, Aggregation::first);
  check(got, {{"A", "xy €", 0.9, {0, 7}}, {"B", "x", 0.9, {8, 9}}});
  CHECK(got[0].words == Range{0, 3});
  CHECK(got[0].tokens == Range{1, 4});
  CHECK(got[1].words == Range{3, 4});
  CHECK(got[1].tokens == Range{4, 5});
}

TEST_CASE("a text without tokens has no tags") {
  for (const auto& [aggregation, name] : enum_names(Aggregation{})) {
    CHECK_MESSAGE(tags({text_of(""), {}}, aggregation).empty(), name);
  }
}
