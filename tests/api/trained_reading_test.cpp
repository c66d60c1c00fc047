#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "model/config.hpp"
#include "summand/model.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;

namespace {

/// The same random model with another reading in its config.json, or none.
class ReadModel {
 public:
  ReadModel(const std::string& name, Head head, const std::optional<Reading>& reading)
      : directory_(name, 1,
                   {.pooler = head == Head::sequence_classification ? model::Pooler::present : model::Pooler::absent,
                    .heads = {head}}) {
    const std::string config = directory_.name() + "/config.json";
    model::Config read = model::parse_config(read_file(config, 1 << 20), config).config;
    read.reading = reading;
    directory_.write("config.json", model::to_json(read));
  }
  [[nodiscard]] Model load() const { return Model::load(directory_.name(), {.threads = 2}); }

 private:
  test::TinyDirectory directory_;
};

std::string letters(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += std::string(i == 0 ? "" : " ") + static_cast<char>('a' + (i * 7) % 26);
  return text;
}

const std::vector<std::string> kTexts{letters(50), "a b", letters(12), ""};
const LengthOptions kPlain{.truncation = Truncation::longest_first, .max_length = 24};

const std::vector<Reading> kReadings{
    {.length = {.truncation = Truncation::head_tail, .max_length = 9}},
    {.length = {.truncation = Truncation::longest_first, .max_length = 7}},
    {.length = {.max_length = 9}, .windows = WindowOptions{.overlap = 2}},
    {.length = {.max_length = 24}, .windows = WindowOptions{.pooling = WindowPooling::maximum}}};

std::vector<float> label_logits(const ClassifiedTexts& classified) {
  std::vector<float> logits;
  for (const auto& text : classified.texts) logits.push_back(text.at(0).logit);
  return logits;
}

std::vector<double> tag_scores(const TaggedTexts& tagged) {
  std::vector<double> scores;
  for (const auto& text : tagged.texts) {
    for (const Tag& tag : text) scores.push_back(tag.score);
  }
  return scores;
}

std::vector<float> elements(const Matrix<float>& matrix) {
  return {matrix.elements().begin(), matrix.elements().end()};
}

}  // namespace

TEST_CASE("texts are labelled as training read them, unless a call says otherwise") {
  const Model plain = ReadModel("plain", Head::sequence_classification, std::nullopt).load();
  CHECK_FALSE(plain.info().reading);
  for (const Reading& reading : kReadings) {
    const Model trained = ReadModel("trained", Head::sequence_classification, reading).load();
    CHECK(trained.info().reading == reading);
    const auto own = trained.classify(kTexts);
    const auto asked = plain.classify(kTexts, {.length = reading.length, .windows = reading.windows});
    CHECK(label_logits(own) == label_logits(asked));
    CHECK(label_logits(own) != label_logits(plain.classify(kTexts)));
    CHECK(own.count.texts_cut == asked.count.texts_cut);
    CHECK(own.count.windows.windows == asked.count.windows.windows);
    CHECK(label_logits(trained.classify(kTexts, {.length = kPlain})) == label_logits(plain.classify(kTexts)));
    const auto scored = trained.score(kTexts);
    CHECK(elements(scored.logits) ==
          elements(plain.score(kTexts, {.length = reading.length, .windows = reading.windows}).logits));
    CHECK(elements(trained.score(kTexts, {.length = kPlain}).logits) == elements(plain.score(kTexts).logits));
    const WindowOptions other{.pooling = WindowPooling::maximum, .overlap = 1};
    CHECK(
        label_logits(trained.classify(kTexts, {.windows = other})) ==
        label_logits(plain.classify(kTexts, {.length = {.max_length = reading.length.max_length}, .windows = other})));
  }
}

TEST_CASE("words are tagged as training read their texts, unless a call says otherwise") {
  const Model plain = ReadModel("plain_tags", Head::token_classification, std::nullopt).load();
  for (const Reading& reading : kReadings) {
    const Model trained = ReadModel("trained_tags", Head::token_classification, reading).load();
    const TagOptions asked{.length = reading.length, .windows = reading.windows, .aggregation = Aggregation::none};
    const TagOptions usual{.length = kPlain, .aggregation = Aggregation::none};
    const TagOptions nothing{.aggregation = Aggregation::none};
    CHECK(tag_scores(trained.tag(kTexts, nothing)) == tag_scores(plain.tag(kTexts, asked)));
    CHECK(tag_scores(trained.tag(kTexts, nothing)) != tag_scores(plain.tag(kTexts, nothing)));
    CHECK(tag_scores(trained.tag(kTexts, usual)) == tag_scores(plain.tag(kTexts, nothing)));
  }
}

TEST_CASE("hidden states know nothing of how training read its texts") {
  const Model plain = ReadModel("plain_states", Head::sequence_classification, std::nullopt).load();
  const Model trained = ReadModel("trained_states", Head::sequence_classification, kReadings[0]).load();
  CHECK(plain.hidden(kTexts).count.tokens == trained.hidden(kTexts).count.tokens);
}
