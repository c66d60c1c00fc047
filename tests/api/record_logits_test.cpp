#include "api/record_logits.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "summand/model.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using test::TinyDirectory;

namespace {

TinyDirectory classifier(const std::string& name) {
  return TinyDirectory(name, 4, {.pooler = model::Pooler::present, .heads = {Head::sequence_classification}});
}

/// Some hundred, of which many come again; long ones, empty ones and pairs among them.
std::vector<Text> texts_that_come_again() {
  std::mt19937 random(8);
  std::vector<Text> texts;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (auto length = random() % 3 == 0 ? random() % 60 : random() % 3; length > 0; --length) {
      text += std::string(1, static_cast<char>('a' + random() % 3)) + " ";
    }
    texts.push_back(random() % 4 == 0 ? Text("b", text) : Text(text));
  }
  return texts;
}

size_t distinct(const std::vector<Text>& texts) {
  std::set<std::string> seen;
  for (const auto& text : texts) seen.insert(text.text + "|" + text.text_pair.value_or("none"));
  return seen.size();
}

bool same(const std::vector<std::vector<LabelScore>>& a, const std::vector<std::vector<LabelScore>>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return std::ranges::equal(one, other, [](const LabelScore& x, const LabelScore& y) {
      return x.label == y.label && x.score == y.score && x.logit == y.logit;
    });
  });
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
