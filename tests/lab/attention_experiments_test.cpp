// The experiments on attention and on [CLS]: what is planted in a checkpoint turns their verdicts.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/plant/rewritten_models.hpp"
#include "lab/statistics/surrogates.hpp"
#include "tests/lab/attention_subject.hpp"
#include "tests/lab/planted_model.hpp"

using namespace summand;
using namespace summand::lab;
using planted::Encoder;
using planted::run;

namespace {

std::vector<Experiment> all() {
  return {self_match_experiment(), score_scale_experiment(), first_token_experiment(), identical_words_experiment()};
}

double diagonal(size_t row, size_t column) {
  return row == column ? 1 : 0;
}

/// All words get the same weight, and keep themselves beside it: [CLS], which is no word, is the fairest.
Encoder even_attention(const planted::EncoderSizes& sizes = {}) {
  Encoder encoder(sizes);
  encoder.in_layers([&](const auto& name) {
    encoder.put(name("attention.self.query.weight"), 0);
    encoder.put(name("attention.self.query.bias"), 0);
    encoder.put(name("attention.self.value.weight"), diagonal);
    encoder.put(name("attention.self.value.bias"), 0);
    encoder.put(name("attention.output.dense.weight"), diagonal);
    encoder.put(name("output.dense.weight"), 0);
  });
  encoder.put("embeddings.word_embeddings.weight", [](size_t row, size_t column) {
    return std::sin(static_cast<double>((row + 1) * (17 * column + 3)));  // one length, many directions
  });
  encoder.scale("embeddings.position_embeddings.weight", 0.1);
  encoder.scale("embeddings.token_type_embeddings.weight", 0.1);
  return encoder;
}

/// Everybody looks at position 1 alone: [CLS] is made of one word.
Encoder one_word_attention() {
  Encoder encoder = even_attention();
  encoder.put("embeddings.position_embeddings.weight",
              [](size_t row, size_t column) { return row == 1 && column == 0 ? 6 : 0; });
  encoder.in_layers([&](const auto& name) {
    encoder.put(name("attention.self.query.bias"), 1);
    encoder.scale(name("attention.output.dense.weight"), 0.2);  // words stay themselves: their mean can find halves
    encoder.put(name("attention.self.key.bias"), 0);
    encoder.put(name("attention.self.key.weight"), [](size_t, size_t column) { return column == 0 ? 2 : 0; });
  });
  return encoder;
}

}  // namespace

TEST_CASE("a word rules itself where words differ, at any scale of the inputs, and not where they are nearly alike") {
  Encoder encoder({});
  encoder.put("embeddings.LayerNorm.weight", 1);
  encoder.put("embeddings.LayerNorm.bias", 0);
  const auto longer = run(self_match_experiment(), encoder.subject());
  CHECK(longer.observation("Q1") == Observation::holds);
  CHECK(longer.value("Q1", "own_first") == 1);
  encoder.put("embeddings.LayerNorm.weight", 0.05);
  CHECK(run(self_match_experiment(), encoder.subject()).observation("Q1") == Observation::holds);
  encoder.put("embeddings.word_embeddings.weight", [](size_t row, size_t column) {
    return std::cos(static_cast<double>(3 * column)) +
           0.3 * std::sin(static_cast<double>((row + 1) * (17 * column + 3)));
  });
  encoder.scale("embeddings.position_embeddings.weight", 0.1);
  encoder.scale("embeddings.token_type_embeddings.weight", 0.1);
  const auto alike = run(self_match_experiment(), encoder.subject());
  CHECK(alike.observation("Q1") == Observation::fails);
  CHECK(alike.inference("Q1") == Inference::does_not_follow);
  CHECK(alike.value("Q1", "own_first") == 1);
  const Numbers& numbers = alike.findings.numbers.at("Q1");
  CHECK(numbers.null("own_first") < 0.3);
  CHECK(numbers.control("own_dominates") > 0.9);
  CHECK(numbers.at("own_dominates").control->interval->low > 0.9);
  CHECK(numbers.value("norm_spread") < 1e-3);
}

TEST_CASE("what keys equal to queries do decides whether their difference is needed") {
  Encoder encoder({});
  encoder.put("embeddings.LayerNorm.weight", 1);
  encoder.put("embeddings.LayerNorm.bias", 0);
  encoder.scale("encoder.layer.0.attention.self.query.weight", 3);
  const auto strong = run(self_match_experiment(), encoder.subject());
  CHECK(strong.value("Q1", "tied_dominates") > 0.5);
  CHECK(strong.inference("Q1") == Inference::not_tested);
  encoder.scale("encoder.layer.0.attention.self.query.weight", 0.01);
  const auto weak = run(self_match_experiment(), encoder.subject());
  CHECK(weak.observation("Q1") == Observation::holds);
  CHECK(weak.value("Q1", "tied_dominates") < 0.5);
  CHECK(weak.inference("Q1") == Inference::does_not_follow);
}

TEST_CASE("what attention and normalisations leave free in a checkpoint changes no number of what is read off it") {
  constexpr double kSame = 1e-3;  // of shares of few words: single precision may turn a tie
  const Subject source = planted::model_of(planted::small_sizes(), {});
  RandomStream stream(2, "gauge");
  const auto made = rewritten_model(PlantedModel::gauge, source.model->checkpoint(), {}, stream);
  const Subject other = planted::loaded(made.config, made.weights);
  for (const auto& experiment :
       {self_match_experiment(), first_token_experiment(), score_scale_experiment(), non_linearity_experiment()}) {
    CAPTURE(experiment.name);
    const std::string claim = experiment.rules.front().claim;
    const auto own = run(experiment, source);
    const auto ran = run(experiment, other);
    REQUIRE(own.findings.numbers.contains(claim));
    CHECK(ran.observation(claim) == own.observation(claim));
    CHECK(ran.inference(claim) == own.inference(claim));
    for (const Number& number : own.findings.numbers.at(claim).all()) {
      CAPTURE(number.name);
      const Number& again = ran.findings.numbers.at(claim).at(number.name);
      CHECK(std::abs(again.value - number.value) < kSame);
      CHECK(std::abs(again.null->value - number.null->value) < kSame);
      CHECK(std::abs(again.control->value - number.control->value) < kSame);
    }
  }
}

TEST_CASE("the scale decides how narrow attention is, where logits are large at all") {
  const planted::EncoderSizes wide{.hidden = 128, .heads = 2};
  const auto large = run(score_scale_experiment(), Encoder(wide).subject());
  CHECK(large.observation("Q9") == Observation::not_judged);  // a question is no claim
  CHECK(large.value("Q9", "entropy_ratio") < 0.5);
  CHECK(large.answer.en.find("falls to") != std::string::npos);
  const Numbers& numbers = large.findings.numbers.at("Q9");
  // Standard deviations of samples of a dozen lie some per cent below the law's.
  CHECK(numbers.value("closed_form_spread") == 8);
  CHECK(numbers.control("unscaled_spread") == doctest::Approx(8).epsilon(0.08));
  CHECK(numbers.control("scaled_spread") == doctest::Approx(1).epsilon(0.08));
  CHECK(numbers.control("growth_exponent") == doctest::Approx(0.5).epsilon(0.1));
  CHECK(std::abs(numbers.null("growth_exponent")) < 1e-3);
  CHECK(numbers.null("entropy_ratio") == doctest::Approx(1));
  CHECK(numbers.value("unscaled_spread") == doctest::Approx(8 * numbers.value("scaled_spread")));
  Encoder small(wide);
  small.in_layers([&](const auto& name) {
    small.scale(name("attention.self.query.weight"), 1e-3);
    small.scale(name("attention.self.query.bias"), 1e-3);
  });
  const auto flat = run(score_scale_experiment(), small.subject());
  CHECK(flat.value("Q9", "entropy_ratio") > 0.9);
  CHECK(flat.answer.en.find("falls to") == std::string::npos);
  // With one coordinate a head there is nothing to scale.
  CHECK(run(score_scale_experiment(), Encoder({.hidden = 8, .heads = 8}).subject()).answer.en.find("cannot be told") !=
        std::string::npos);
}

TEST_CASE("[CLS] is fair where all words weigh alike, and not where it looks at one") {
  const auto fair = run(first_token_experiment(), even_attention().subject());
  CHECK(fair.observation("Q4") == Observation::holds);
  CHECK(fair.value("Q4", "influence_first_gini") < fair.value("Q4", "influence_word_gini"));
  CHECK(fair.value("Q4", "rollout_first_gini") < 1e-6);
  const auto unfair = run(first_token_experiment(), one_word_attention().subject());
  CHECK(unfair.observation("Q4") == Observation::fails);
  CHECK(unfair.inference("Q4") == Inference::does_not_follow);
  CHECK(unfair.value("Q4", "norms_first_gini") > 0.8);
  CHECK_FALSE(std::ranges::any_of(fair.findings.numbers.at("Q4").all(),
                                  [](const Number& number) { return number.name == "halves_pooled"; }));
  const auto pooled = run(first_token_experiment(), even_attention({.pooler = model::Pooler::present}).subject());
  CHECK(pooled.value("Q4", "halves_pooled") > 0);
}

TEST_CASE("without anything to compare halves by, the readout cannot be told") {
  CHECK(run(first_token_experiment(), even_attention().subject(planted::corpus_text())).observation("Q4") ==
        Observation::cannot_be_told);
}

TEST_CASE("identical words show what positions do alone") {
  const auto even = run(identical_words_experiment(), even_attention().subject());
  CHECK(even.value(kNoClaim, "toeplitz") == 0);
  CHECK(std::abs(even.value(kNoClaim, "direction")) < 1e-6);
  Encoder near({});
  near.put("embeddings.word_embeddings.weight", 0);
  near.put("embeddings.token_type_embeddings.weight", 0);
  near.put("embeddings.LayerNorm.weight", 1);
  near.put("embeddings.LayerNorm.bias", 0);
  const Table sine = sinusoid({48, 32});  // and its opposite: normalisation leaves such rows as they are
  near.put("embeddings.position_embeddings.weight", [&](size_t row, size_t column) {
    return (column < 32 ? 1 : -1) * sine(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column % 32));
  });
  for (const char* map : {"query", "key"}) {
    near.put(model::layer_parameter(0, std::string("attention.self.") + map + ".weight"), diagonal);
    near.put(model::layer_parameter(0, std::string("attention.self.") + map + ".bias"), 0);
  }
  const auto falls = run(identical_words_experiment(), near.subject());
  CHECK(falls.value(kNoClaim, "logit_toeplitz") == doctest::Approx(1).epsilon(1e-4));
  CHECK(falls.value(kNoClaim, "logit_symmetry") == doctest::Approx(1).epsilon(1e-4));
  CHECK(falls.value(kNoClaim, "monotonicity") > 0.5);
  CHECK(falls.value(kNoClaim, "products_toeplitz") > 0.8);
  const Numbers& numbers = falls.findings.numbers.at(kNoClaim);
  CHECK(numbers.null("toeplitz") < 0.2);
  CHECK(numbers.control("logit_toeplitz") == doctest::Approx(1));
  CHECK(numbers.control("logit_symmetry") == doctest::Approx(1));
  CHECK(numbers.control("monotonicity") == doctest::Approx(1));
}

TEST_CASE("every number has a finite null and control, and none depends on threads") {
  const Subject subject = Encoder({.hidden = 32, .heads = 2, .pooler = model::Pooler::present}).subject();
  for (const Experiment& experiment : all()) {
    CAPTURE(experiment.name);
    const auto one = run(experiment, subject, 1);
    const auto two = run(experiment, subject, 2);
    for (const auto& [claim, numbers] : one.findings.numbers) {
      for (const Number& number : numbers.all()) {
        CAPTURE(number.name);
        REQUIRE(number.null.has_value());
        REQUIRE(number.control.has_value());
        CHECK(std::isfinite(number.value));
        CHECK(std::isfinite(number.null->value));
        CHECK(std::isfinite(number.control->value));
        CHECK_FALSE(number.null->of.en.empty());
        CHECK_FALSE(number.control->of.zh.empty());
        CHECK(number.value == two.findings.numbers.at(claim).value(number.name));
      }
    }
  }
}

TEST_CASE("small and missing things are gaps, not crashes") {
  const Subject alone = planted::subject_of(sinusoid({40, 16}));
  Subject silent = Encoder({}).subject();
  silent.corpus.sentences.clear();
  const Subject single = Encoder({.hidden = 8, .heads = 1, .layers = 1}).subject();
  for (const Experiment& experiment : all()) {
    CAPTURE(experiment.name);
    const auto of_table = run(experiment, alone);
    const auto without_texts = run(experiment, silent);
    for (const auto& rule : experiment.rules) {
      CHECK(of_table.findings.gaps.contains(rule.claim));
      CHECK(without_texts.findings.gaps.contains(rule.claim));
    }
    const auto small = run(experiment, single);
    for (const auto& rule : experiment.rules) CHECK(small.findings.numbers.contains(rule.claim));
  }
  CHECK(run(identical_words_experiment(), alone).value(kNoClaim, "products_toeplitz") > 0.9);
  CHECK(run(identical_words_experiment(), planted::subject_of(sinusoid({6, 16}))).findings.remarks.size() == 1);
}

TEST_CASE("Q4 cannot be told where the two measures of fairness lie on different sides of 0") {
  const Experiment experiment = first_token_experiment();
  const auto fair = run(first_token_experiment(), even_attention().subject());
  REQUIRE(fair.observation("Q4") == Observation::holds);
  const auto judged = [&](const Interval& shares, const Interval& influence, const Interval& found) {
    Numbers numbers;
    for (Number number : fair.findings.numbers.at("Q4").all()) {
      if (number.name == "norms_fairer") number.interval = shares;
      if (number.name == "influence_fairer") number.interval = influence;
      if (number.name == "halves_first_over_word") number.interval = found;
      numbers.add(std::move(number));
    }
    return experiment.rules.front().judge(numbers).observation;
  };
  const Interval above{.low = 0.1, .high = 0.2};
  const Interval below{.low = -0.2, .high = -0.1};
  const Interval around{.low = -0.1, .high = 0.1};
  CHECK(judged(above, above, above) == Observation::holds);
  CHECK(judged(below, above, above) == Observation::cannot_be_told);
  CHECK(judged(above, below, above) == Observation::cannot_be_told);
  CHECK(judged(below, around, above) == Observation::fails);
  CHECK(judged(below, below, above) == Observation::fails);
  CHECK(judged(below, above, below) == Observation::fails);
}
