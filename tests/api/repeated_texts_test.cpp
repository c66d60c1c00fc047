#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "api/batches/record_batches.hpp"
#include "io/safetensors_writer.hpp"
#include "summand/model.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"

// Texts of a call with the same tokens are computed once, by every head.

using namespace summand;
using test::TinyDirectory;

namespace {

TinyDirectory classifier(const std::string& name) {
  return TinyDirectory(name, 4, {.pooler = model::Pooler::present, .heads = {Head::sequence_classification}});
}

enum class Kind { mixed, single, pairs, masked };

constexpr size_t kOneBatch = 300;       // texts that are computed together
constexpr size_t kSomeBatches = 4'000;  // and texts that are not

/// Of which many come again, some with other spaces between the same tokens; long ones and empty ones.
std::vector<Text> texts_that_come_again(Kind kind = Kind::mixed, size_t count = kOneBatch) {
  std::mt19937 random(8);
  std::vector<Text> texts;
  for (size_t i = 0; i < count; ++i) {
    std::string text;
    for (auto length = random() % 3 == 0 ? random() % 60 : random() % 3; length > 0; --length) {
      text += std::string(1, static_cast<char>('a' + random() % 3)) + (random() % 4 == 0 ? "  " : " ");
    }
    if (kind == Kind::masked) text = "[MASK] " + text + (random() % 2 == 0 ? " [MASK]" : "");
    const bool pair = kind == Kind::pairs || (kind == Kind::mixed && random() % 4 == 0);
    texts.push_back(pair ? Text("b", text) : Text(text));
  }
  return texts;
}

/// Apart by more than spaces.
size_t distinct(const std::vector<Text>& texts) {
  std::set<std::string> seen;
  for (const auto& text : texts) {
    std::string letters = text.text + "|" + text.text_pair.value_or("none");
    std::erase(letters, ' ');
    seen.insert(letters);
  }
  return seen.size();
}

bool same(const std::vector<std::vector<LabelScore>>& a, const std::vector<std::vector<LabelScore>>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return std::ranges::equal(one, other, [](const LabelScore& x, const LabelScore& y) {
      return x.label == y.label && x.score == y.score && x.logit == y.logit;
    });
  });
}

/// What watches a run and changes nothing.
Taps watching() {
  return {.points = {TapPoint::input}, .visit = [](const Taps::Site&, MatrixView<float>) {}};
}

}  // namespace

TEST_CASE("texts that come again are classified once, to the same bits, cut or divided") {
  const auto directory = classifier("classified_once");
  const auto model = Model::load(directory.name(), {.threads = 2});
  const auto texts = texts_that_come_again();
  for (const bool divided : {false, true}) {
    ClassifyOptions once{.top = 2};
    if (divided) once.windows = WindowOptions{.overlap = 2};
    auto each = once;
    each.repeated = RepeatedTexts::compute_each;
    const auto expected = model.classify(texts, each);
    const auto got = model.classify(texts, once);
    CHECK(expected.count.texts_repeated == 0);
    CHECK(got.count.texts_repeated >= texts.size() - distinct(texts));  // and those that are the same once they are cut
    CHECK(got.count.texts_repeated < texts.size());
    CHECK(got.count.texts == texts.size());
    CHECK(got.count.tokens == expected.count.tokens);
    CHECK(got.count.texts_cut == expected.count.texts_cut);
    CHECK(same(got.texts, expected.texts));
    ClassifyOptions watched = once;
    size_t seen = 0;
    watched.taps.points = {TapPoint::input};
    watched.taps.visit = [&](const Taps::Site&, MatrixView<float>) { ++seen; };
    CHECK(model.classify(texts, watched).count.texts_repeated == 0);
    CHECK(seen >= texts.size());
  }
}

TEST_CASE("passages that come again are ranked by what was computed once") {
  const auto directory = classifier("ranked_once");
  const auto config = [&] {
    auto one = test::config_of({.positions = 24, .vocabulary = 31});
    one.labels.names = {"relevance"};
    return one;
  }();
  directory.write("config.json", model::to_json(config));
  io::write_safetensors(
      directory.name() + "/model.safetensors",
      test::random_weights(config, {.pooler = model::Pooler::present, .heads = {Head::sequence_classification}}, 1));
  const auto model = Model::load(directory.name(), {.threads = 2});
  std::vector<Text> passages;
  for (const auto& text : texts_that_come_again()) passages.emplace_back(text.text);
  const auto expected = model.rerank("a b", passages, {.repeated = RepeatedTexts::compute_each});
  const auto got = model.rerank("a b", passages);
  CHECK(expected.count.texts_repeated == 0);
  CHECK(got.count.texts_repeated >= passages.size() - distinct(passages));
  REQUIRE(got.passages.size() == expected.passages.size());
  for (size_t i = 0; i < got.passages.size(); ++i) {
    CHECK(got.passages[i].index == expected.passages[i].index);
    CHECK(got.passages[i].logit == expected.passages[i].logit);
    CHECK(got.passages[i].score == expected.passages[i].score);
  }
}

TEST_CASE("texts of earlier batches are classified once too") {
  const auto directory = classifier("classified_in_batches");
  const auto model = Model::load(directory.name(), {.threads = 2});
  const auto texts = texts_that_come_again(Kind::mixed, kSomeBatches);
  const auto expected = model.classify(texts, {.repeated = RepeatedTexts::compute_each});
  const auto got = model.classify(texts);
  REQUIRE(got.count.tokens > api::kBatchTokens);
  CHECK(got.count.texts_repeated >= texts.size() - distinct(texts));
  CHECK(same(got.texts, expected.texts));
}

TEST_CASE("pairs that come again are asked about once, also in another batch, to the same bits") {
  const TinyDirectory directory("asked_once", 5, {.pooler = model::Pooler::present, .heads = {Head::next_sentence}});
  const auto model = Model::load(directory.name(), {.threads = 2});
  const auto pairs = texts_that_come_again(Kind::pairs, kSomeBatches);
  const auto expected = model.next_sentence(pairs, {}, {}, RepeatedTexts::compute_each);
  const auto got = model.next_sentence(pairs);
  REQUIRE(got.count.tokens > api::kBatchTokens);
  CHECK(expected.count.texts_repeated == 0);
  CHECK(got.count.texts_repeated >= pairs.size() - distinct(pairs));
  REQUIRE(got.pairs.size() == pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) CHECK(got.pairs[i].logits == expected.pairs[i].logits);
  CHECK(model.next_sentence(pairs, {}, watching()).count.texts_repeated == 0);
}

TEST_CASE("texts that come again are tagged once, each with its own bytes, cut or divided") {
  const TinyDirectory directory("tagged_once", 6, {.heads = {Head::token_classification}});
  const auto model = Model::load(directory.name(), {.threads = 2});
  for (const size_t count : {kOneBatch, kSomeBatches}) {
    auto texts = texts_that_come_again(Kind::single, count);
    // Words already split have the tokens of a text, and other places for them.
    for (size_t i = 0; i < count; i += 5) texts[i] = Text::of_words({"a", "", "bc", "a"});
    for (size_t i = 1; i < count; i += 5) texts[i] = Text("a [UNK] a");
    for (const bool divided : {false, true}) {
      TagOptions once{.aggregation = Aggregation::none};
      if (divided) once.windows = WindowOptions{.overlap = 2};
      auto each = once;
      each.repeated = RepeatedTexts::compute_each;
      const auto expected = model.tag(texts, each);
      const auto got = model.tag(texts, once);
      CHECK(expected.count.texts_repeated == 0);
      if (count == kOneBatch) CHECK(got.count.texts_repeated >= texts.size() - distinct(texts));
      if (count == kSomeBatches) REQUIRE(got.count.tokens > api::kBatchTokens);
      CHECK(got.count.texts_repeated > count / 4);
      CHECK(got.count.tokens == expected.count.tokens);
      REQUIRE(got.texts.size() == texts.size());
      size_t tags = 0;
      for (size_t i = 0; i < texts.size(); ++i) {
        REQUIRE(got.texts[i].size() == expected.texts[i].size());
        for (size_t j = 0; j < got.texts[i].size(); ++j, ++tags) {
          const Tag& one = got.texts[i][j];
          const Tag& other = expected.texts[i][j];
          CHECK(one.label == other.label);
          CHECK(one.score == other.score);
          CHECK(one.word == other.word);
          CHECK(one.bytes == other.bytes);
          CHECK(one.tokens == other.tokens);
          CHECK(one.words == other.words);
        }
      }
      CHECK(tags > count);
      auto watched = once;
      watched.taps = watching();
      CHECK(model.tag(texts, watched).count.texts_repeated == 0);
    }
  }
}

TEST_CASE("masks of texts that come again are filled once, each at its own bytes") {
  const TinyDirectory directory("filled_once", 7, {.heads = {Head::masked_language}});
  const auto model = Model::load(directory.name(), {.threads = 2});
  for (const size_t count : {kOneBatch, kSomeBatches}) {
    const auto texts = texts_that_come_again(Kind::masked, count);
    const auto expected = model.fill_mask(texts, {.top = 2, .repeated = RepeatedTexts::compute_each});
    const auto got = model.fill_mask(texts, {.top = 2});
    CHECK(expected.count.texts_repeated == 0);
    if (count == kOneBatch) CHECK(got.count.texts_repeated >= texts.size() - distinct(texts));
    if (count == kSomeBatches) REQUIRE(got.count.tokens > api::kBatchTokens);
    CHECK(got.count.texts_repeated > count / 4);
    REQUIRE(got.texts.size() == texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      REQUIRE(got.texts[i].size() == expected.texts[i].size());
      for (size_t j = 0; j < got.texts[i].size(); ++j) {
        const FilledMask& one = got.texts[i][j];
        const FilledMask& other = expected.texts[i][j];
        CHECK(one.token == other.token);
        CHECK(one.bytes == other.bytes);
        CHECK(std::ranges::equal(one.fillings, other.fillings, [](const Filling& x, const Filling& y) {
          return x.id == y.id && x.score == y.score && x.sequence == y.sequence;
        }));
      }
    }
    CHECK(model.fill_mask(texts, {.top = 2, .taps = watching()}).count.texts_repeated == 0);
  }
}
