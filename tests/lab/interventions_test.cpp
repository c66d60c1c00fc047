// 0.8: what is planted in a model turns the verdict, and interventions do what their names say.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lab/experiments/experiments.hpp"
#include "lab/experiments/interventions/intervention_list.hpp"
#include "lab/experiments/interventions/text_pairs.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/moments.hpp"
#include "tests/lab/besides.hpp"
#include "tests/lab/planted_model.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

const model::ModelParts kWithHead{.heads = {model::Head::masked_language}};

Subject plain() {
  return planted::checkpoint({48, 24}, [](planted::ThreeTables&) {});
}

Subject with_equal_segments() {
  return planted::checkpoint(
      {48, 24}, [](planted::ThreeTables& tables) { tables.segments.row(1) = Table(tables.segments).row(0); });
}

Subject with_equal_positions() {
  return planted::checkpoint(
      {48, 24}, [](planted::ThreeTables& tables) { tables.positions.rowwise() = Table(tables.positions).row(0); });
}

struct Context {
  Subject subject;
  engine::Engine engine;
  Undisturbed undisturbed;

  explicit Context(Subject of)
      : subject(std::move(of)), engine(changed_model(subject).engine(1)), undisturbed([&] {
          RandomStream stream(1, "masks");
          return Undisturbed(subject, engine, texts_by_kind(subject, {.most = 8, .longest = 40}).pairs, stream);
        }()) {}
  [[nodiscard]] OutputChange of(const Intervention& one) const {
    if (!one.model) return undisturbed.change(engine, one.edit, CompareStates::all);
    auto model = changed_model(subject);
    one.model(model);
    return undisturbed.change(model.engine(1), one.edit, CompareStates::all);
  }
};

}  // namespace

TEST_CASE(
    "0.8: both parts move the vectors, and without a task that tells nothing is said; every number has both besides") {
  const auto ran = planted::run(interventions_experiment(), plain());
  CHECK(ran.observation("0.8") == Observation::cannot_be_told);
  CHECK(ran.value("0.8", "position_over_word") > 0.1);
  CHECK(ran.value("0.8", "segment_over_word") > 0.1);
  planted::check_besides(ran.findings, "0.8");
  CHECK(ran.findings.figures.size() == 3);
}

TEST_CASE("0.8 fails where segment rows are equal, and where position rows are") {
  const auto segments = planted::run(interventions_experiment(), with_equal_segments());
  CHECK(segments.observation("0.8") == Observation::fails);
  CHECK(segments.inference("0.8") == Inference::does_not_follow);
  CHECK(segments.value("0.8", "segment_all_0") < 1e-9);
  planted::check_besides(segments.findings, "0.8");
  const auto positions = planted::run(interventions_experiment(), with_equal_positions());
  CHECK(positions.observation("0.8") == Observation::fails);
  CHECK(positions.value("0.8", "order_permuted") < 1e-9);
  planted::check_besides(positions.findings, "0.8");
}

TEST_CASE("with a masked-language head the loss is measured, and decides too") {
  // Random weights predict nothing: no removal can raise their loss.
  const auto ran = planted::run(interventions_experiment(), planted::model_of(planted::small_sizes(), kWithHead));
  CHECK(ran.observation("0.8") != Observation::holds);
  planted::check_besides(ran.findings, "0.8");
  CHECK(std::abs(ran.findings.numbers.at("0.8").null("position_averaged_loss")) < 1e-5);
  CHECK(ran.findings.numbers.at("0.8").value("segment_averaged_accuracy") <= 1);
}

TEST_CASE("the rule of 0.8 turns with what a task loses, and asks the task to tell dealt words") {
  const auto ran = planted::run(interventions_experiment(), plain());
  const auto verdict = [&](Interval order, Interval segment, Interval dealt) {
    Numbers numbers;
    for (const Number& number : ran.findings.numbers.at("0.8").all()) {
      if (!number.name.starts_with("pairs_lost")) numbers.add(number);
    }
    const auto add = [&](const char* name, const Interval& interval) {
      numbers.add({.name = name,
                   .label = {},
                   .value = (interval.low + interval.high) / 2,
                   .interval = interval,
                   .null = ReferenceValue{.value = 0, .of = {}},
                   .control = ReferenceValue{.value = dealt.low, .interval = dealt, .of = {}}});
    };
    add("masked_words_lost_order_averaged", order);
    add("masked_words_lost_segment_averaged", segment);
    return interventions_experiment().rules.front().judge(numbers);
  };
  const Interval clear{.low = 0.2, .high = 0.4};
  const Interval none{.low = -0.01, .high = 0.01};
  CHECK(verdict(clear, clear, clear).observation == Observation::holds);
  CHECK(verdict(clear, none, clear).observation == Observation::fails);
  CHECK(verdict(none, clear, clear).observation == Observation::fails);
  CHECK(verdict(clear, {.low = 0.01, .high = 0.2}, clear).observation == Observation::cannot_be_told);
  CHECK(verdict(clear, clear, none).observation == Observation::cannot_be_told);
  CHECK(verdict(clear, none, clear).inference == Inference::does_not_follow);
  CHECK(verdict(clear, clear, none).inference == Inference::not_tested);
}

TEST_CASE("one segment row is said, not judged") {
  auto sizes = planted::small_sizes();
  sizes.segments = 1;
  const auto subject = planted::model_of(sizes, {}, [](model::Weights&) {});
  const auto ran = planted::run(interventions_experiment(), subject);
  CHECK(ran.observation("0.8") == Observation::cannot_be_told);
  planted::check_besides(ran.findings, "0.8");
}

TEST_CASE("a table alone, or a corpus too small, is a gap") {
  const auto table = planted::run(interventions_experiment(), planted::subject_of(planted::sine(64, 24)));
  CHECK(table.findings.gaps.contains("0.8"));
  Subject few = plain();
  few.corpus.sentences.resize(2);
  CHECK(planted::run(interventions_experiment(), few).findings.gaps.contains("0.8"));
}

TEST_CASE("results do not depend on the number of threads") {
  const auto one = planted::run(interventions_experiment(), plain(), 1);
  const auto two = planted::run(interventions_experiment(), plain(), 2);
  for (const auto& number : one.findings.numbers.at("0.8").all()) {
    CAPTURE(number.name);
    CHECK(two.value("0.8", number.name) == number.value);
  }
}

TEST_CASE("interventions that change nothing change nothing") {
  const Context context(planted::model_of(planted::small_sizes(), kWithHead));
  for (const DosedPart part : {DosedPart::token, DosedPart::position, DosedPart::segment}) {
    const auto change = context.of(dosed(context.subject, part, 1, context.undisturbed.texts()));
    CHECK(mean(change.vectors) < 1e-9);
    CHECK(change.states.back() < 1e-9);
    CHECK(std::abs(mean(change.losses)) < 1e-5);
  }
  const auto same = context.of(same_model(context.subject));
  CHECK(mean(same.vectors) < 1e-9);
  CHECK(std::abs(mean(same.losses)) < 1e-5);
}

TEST_CASE("a shifted text reads the rows that a rolled table has") {
  const Context context(plain());
  const auto list = position_interventions(context.subject, context.undisturbed.texts(), {.count = 40}, 0);
  const auto shift = std::ranges::find(list, "position_shift_8", &Intervention::name);
  REQUIRE(shift != list.end());
  Table rolled = context.subject.positions;
  rolled.topRows(40) = Table(context.subject.positions).middleRows(8, 40);
  auto model = changed_model(context.subject);
  model.replace_positions(rolled);
  CHECK(context.of(*shift).vectors == context.undisturbed.change(model.engine(1)).vectors);
}

TEST_CASE("stronger tokens leave a tied decoder as it was") {
  // With the first normalisation, tokens and the rest twice as strong are the model itself: only a decoder would show.
  const Context context(planted::model_of(planted::small_sizes(), kWithHead));
  const Subject& subject = context.subject;
  Intervention all = dosed(subject, DosedPart::token, 2, context.undisturbed.texts());
  const auto tokens = all.model;
  all.model = [&subject, tokens](ChangedModel& model) {
    tokens(model);
    // t̄ + 2(t − t̄) + 2p + 2s + t̄ = 2(t + p + s)
    model.replace_positions((2 * subject.positions).rowwise() + column_means(subject.tokens).transpose());
    model.replace("embeddings.token_type_embeddings.weight", 2 * subject.segments);
  };
  const auto change = context.of(all);
  CHECK(mean(change.vectors) < 1e-9);
  CHECK(std::abs(mean(change.losses)) < 1e-4);
}

TEST_CASE("one word differs in every text, and only one") {
  const Context context(plain());
  const auto& texts = context.undisturbed.texts();
  RandomStream stream(1, "word");
  model::Batch batch = texts.batch;
  one_word(texts, stream).edit(batch);
  for (size_t text = 0; text < batch.texts(); ++text) {
    size_t changed = 0;
    for (size_t t = batch.offsets[text]; t < batch.offsets[text + 1]; ++t) {
      if (batch.ids[t] == texts.batch.ids[t]) continue;
      ++changed;
      CHECK_FALSE(texts.special[t]);
    }
    CHECK(changed == 1);
  }
}

TEST_CASE("neighbouring texts are joined as the tokenizer joins them") {
  const Subject subject = plain();
  const auto texts = texts_by_kind(subject, {.most = 100, .longest = 40});
  const auto& tokenizer = subject.model->tokenizer();
  CHECK(texts.singles.batch.texts() > 0);
  CHECK(std::ranges::count(texts.singles.batch.segments, 1) == 0);
  for (size_t text = 0; text < texts.pairs.batch.texts(); ++text) {
    const size_t begin = texts.pairs.batch.offsets[text];
    const size_t end = texts.pairs.batch.offsets[text + 1];
    size_t separators = 0;
    for (size_t t = begin; t < end; ++t) {
      CHECK(texts.pairs.text[t] == text);
      if (t > begin && texts.pairs.special[t]) {
        ++separators;
        CHECK(texts.pairs.batch.ids[t] == 3);  // [SEP]
      }
      // Segment 1 begins behind the first [SEP].
      const bool first_separator = separators == 1 && texts.pairs.special[t];
      CHECK(texts.pairs.batch.segments[t] == (separators == 0 || first_separator ? 0 : 1));
    }
    CHECK(separators == 2);
    CHECK(end - begin <= 40);
  }
  CHECK(tokenizer.mask_id().value() == 4);
}

TEST_CASE("the mean of changes is taken place by place") {
  const std::vector<OutputChange> changes{{.vectors = {0.1, 0.4}, .states = {0.2}, .losses = {1}, .accuracy = 0.5},
                                          {.vectors = {0.3, 0.2}, .states = {0.4}, .losses = {-1}, .accuracy = 0}};
  const auto middle = mean_of(changes);
  CHECK(middle.vectors[0] == doctest::Approx(0.2));
  CHECK(middle.vectors[1] == doctest::Approx(0.3));
  CHECK(middle.states[0] == doctest::Approx(0.3));
  CHECK(middle.losses[0] == doctest::Approx(0));
  CHECK(middle.accuracy == doctest::Approx(0.25));
  CHECK(ratio_of_means(std::vector{2.0, 4.0}, std::vector{1.0, 1.0}) == doctest::Approx(3));
  CHECK(ratio_of_means(std::vector{2.0}, std::vector{0.0}) == doctest::Approx(1000));
  CHECK(ratio_of_means(std::vector{0.0}, std::vector{0.0}) == 0);
}
