#include "api/heads/tag.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "api/heads/scores.hpp"
#include "base/matrix.hpp"
#include "summand/model.hpp"
#include "support/tiny_directory.hpp"

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
  return make_tags(made, kLabels, {example.record, encoding, logits.view()}, aggregation);
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

namespace {

/// Words of one letter, one token each.
std::string letters(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += std::string(i == 0 ? "" : " ") + static_cast<char>('a' + (i * 7) % 26);
  return text;
}

std::vector<Tag> tags_of_tokens(const Model& model, const std::string& text, const TagOptions& options) {
  return model.tag(text, options).texts.at(0);
}

constexpr size_t kRoom = 22;  // letters of a window: 24 positions less [CLS] and [SEP]

}  // namespace

TEST_CASE("with windows every word of a long text is tagged, as its window alone tags it") {
  const test::TinyDirectory directory("tag_windows", 1, {.heads = {Head::token_classification}});
  const auto model = Model::load(directory.name(), {.threads = 2});
  const TagOptions cut{.aggregation = Aggregation::none};
  const TagOptions divided{.windows = WindowOptions(), .aggregation = Aggregation::none};
  const std::string text = letters(50);
  const auto whole = tags_of_tokens(model, text, divided);
  CHECK(tags_of_tokens(model, text, cut).size() == kRoom);
  REQUIRE(whole.size() == 50);
  for (size_t begin = 0; begin < 50; begin += kRoom) {
    const auto alone = tags_of_tokens(model, text.substr(2 * begin, 2 * kRoom - 1), cut);
    for (size_t i = 0; i < alone.size(); ++i) {
      CHECK(whole[begin + i].label == alone[i].label);
      CHECK(whole[begin + i].score == alone[i].score);
      CHECK(whole[begin + i].bytes == Range{alone[i].bytes.begin + 2 * begin, alone[i].bytes.end + 2 * begin});
      CHECK(whole[begin + i].words == Range{begin + i, begin + i + 1});
      CHECK(whole[begin + i].tokens == Range{begin + i + 1, begin + i + 2});
    }
  }
  CHECK(model.tag({text, "a b"}, divided).count.windows.windows == 4);
  const auto fits = tags_of_tokens(model, "a b c", divided);
  const auto plain = tags_of_tokens(model, "a b c", cut);
  REQUIRE(fits.size() == plain.size());
  for (size_t i = 0; i < fits.size(); ++i) CHECK(fits[i].score == plain[i].score);
  CHECK(tags_of_tokens(model, "", divided).empty());
}

TEST_CASE("a token that two windows hold has the mean or the largest of its logits") {
  const test::TinyDirectory directory("tag_overlap", 1, {.heads = {Head::token_classification}});
  const auto model = LoadedModel::load(directory.name());
  const std::string text = letters(30);
  const size_t labels = model.config().labels.size();
  for (const auto pooling : {WindowPooling::mean, WindowPooling::maximum}) {
    const TagOptions options{.windows = WindowOptions{.pooling = pooling, .overlap = 4},
                             .aggregation = Aggregation::none};
    RecordBatches batches(model, TextList(text),
                          {.windows = options.windows, .encodings = KeepEncodings::of_divided_too});
    auto batch = batches.next();
    REQUIRE(batch->places.size() == 2);
    REQUIRE(batch->places[1].tokens == Range{18, 30});
    const auto logits = engine::head_logits(model.engine(), batch->batch, Head::token_classification);
    const auto tags = tag(model, *batch, options)[0];
    REQUIRE(tags.size() == 30);
    for (size_t token = 18; token < 22; ++token) {
      const auto first = logits.row(1 + token);
      const auto second = logits.row(batch->batch.offsets[1] + 1 + token - 18);
      std::vector<float> expected(labels);
      for (size_t i = 0; i < labels; ++i) {
        const double mean = (static_cast<double>(first[i]) + second[i]) / 2;
        expected[i] = pooling == WindowPooling::mean ? static_cast<float>(mean) : std::max(first[i], second[i]);
      }
      const auto scores = to_scores(expected, ScoreFunction::softmax);
      CHECK(tags[token].score == *std::ranges::max_element(scores));
      CHECK(first[0] != second[0]);
    }
  }
}
