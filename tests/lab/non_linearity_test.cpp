// The experiment on non-linearity: sources that were planted away change nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/non_linearity/affine_runs.hpp"
#include "lab/statistics/linear_regression.hpp"
#include "lab/statistics/surrogates.hpp"
#include "tests/lab/planted_weights.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;
using planted::Parameters;
using planted::run;

namespace {

/// √(variance + ε) of a normalisation is √ε: it divides every token by the same number.
void affine_normalisations(Parameters& parameters) {
  parameters.config.layer_norm_eps = 1e6;
  parameters.change("LayerNorm.weight", [](Table& table) { table *= 1e3; });
}

/// GELU of numbers far above 0 is the identity; the next map's bias takes away what they are above it.
void affine_activation(Parameters& parameters) {
  constexpr double kAbove = 60;
  parameters.change("intermediate.dense.bias", [&](Table& table) { table.array() += kAbove; });
  for (const std::string layer : {"layer.0.", "layer.1."}) {
    Vector sums;
    parameters.change(layer + "output.dense.weight", [&](Table& table) { sums = table.rowwise().sum(); });
    parameters.change(layer + "output.dense.bias",
                      [&](Table& table) { Eigen::Map<Vector>(table.data(), table.size()) -= kAbove * sums; });
  }
}

/// Scores that are all 0: a softmax of 1/n.
void no_scores(Parameters& parameters) {
  parameters.change("attention.self.query.weight", [](Table& table) { table.setZero(); });
  parameters.change("attention.self.query.bias", [](Table& table) { table.setZero(); });
}

Subject checkpoint(const std::function<void(Parameters&)>& plant, const model::ModelParts& parts = {}) {
  return planted::model_checkpoint(parts, plant);
}

CoordinateFit::Rows noise(Index rows, Index columns, const char* name) {
  RandomStream stream(9, name);
  return white_noise({static_cast<size_t>(rows), static_cast<size_t>(columns)}, stream).cast<float>();
}

}  // namespace

TEST_CASE("a coordinate's fit is least squares of that coordinate") {
  const auto inputs = noise(30, 4, "inputs");
  CoordinateFit::Rows outputs = inputs.array().square() + 3 * inputs.array();
  CoordinateFit fit;
  fit.add(inputs.topRows(10), outputs.topRows(10));
  fit.add(inputs.bottomRows(20), outputs.bottomRows(20));
  const auto predicted = fit.predict(inputs);
  for (Index k = 0; k < 4; ++k) {
    const Table x = inputs.col(k).cast<double>();
    const Table expected = fit_least_squares(x, Table(outputs.col(k).cast<double>())).predict(x);
    CHECK((predicted.col(k).cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-4);
  }
}

TEST_CASE("fitted weights of a head have rows that sum to 1") {
  HeadFit fit;
  const auto scores = noise(6, 6, "scores");
  CoordinateFit::Rows weights = scores.array().exp();
  weights.array().colwise() /= weights.rowwise().sum().array().eval();
  const auto view = [](CoordinateFit::Rows& rows) {
    return MatrixView<float>(rows.data(), static_cast<size_t>(rows.rows()), static_cast<size_t>(rows.cols()));
  };
  auto same_scores = scores;
  fit.add(view(same_scores), view(weights));
  for (const size_t length : {1, 2, 3, 6}) {
    CoordinateFit::Rows pattern = CoordinateFit::Rows::Zero(static_cast<Index>(length), static_cast<Index>(length));
    fit.put_pattern(view(pattern));
    CHECK((pattern.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-5);
    CHECK(pattern.minCoeff() >= 0);
  }
  CoordinateFit::Rows sloped = weights;
  fit.put_slope(view(same_scores), view(sloped));
  CHECK((sloped.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-5);
  CHECK((sloped - weights).norm() < weights.norm());
}

TEST_CASE("replacing nothing is the engine, and everything is affine") {
  const auto subject = checkpoint([](Parameters&) {});
  const auto texts = affine_texts(subject, {.quick = true});
  const AffineRuns runs(subject, texts, 0);
  const auto states =
      engine::hidden_states(subject.model->engine(), texts.measured.batch, std::vector<size_t>{2}).front();
  const auto own = runs.run({});
  double largest = 0;
  for (size_t row = 0; row < states.rows(); ++row) {
    for (size_t k = 0; k < states.columns(); ++k) {
      largest = std::max(largest,
                         std::abs(own.states(static_cast<Index>(row), static_cast<Index>(k)) - double{states(row, k)}));
    }
  }
  CHECK(largest < 1e-4);
  const Replacement all{.sources = {Source::gelu, Source::self_attention, Source::attention_norm, Source::output_norm,
                                    Source::input_norm}};
  const auto curvature = [&](const Replacement& replacement) {
    const auto differences = runs.second_differences(replacement);
    std::vector<size_t> every(texts.measured.batch.texts());
    std::iota(every.begin(), every.end(), size_t{0});
    REQUIRE(differences.bent.size() == every.size());
    return differences.curvature(every);
  };
  CHECK(curvature(all) < 1e-4);
  CHECK(curvature({}) > 0.05);
  CHECK(curvature({.sources = {Source::gelu, Source::self_attention}}) > 0.02);
}

TEST_CASE(
    "a small dose changes little, what is replaced before changes no more, and words alone leave [CLS] as it is") {
  const auto subject = checkpoint([](Parameters&) {});
  const auto texts = affine_texts(subject, {.quick = true});
  const AffineRuns runs(subject, texts, 0);
  const auto own = runs.run_vectors({});
  const auto change = [&](const AffineResults& from, const Replacement& replacement) {
    double sum = 0;
    for (const double one : changes_of(from, runs.run_vectors(replacement))) sum += one;
    return sum;
  };
  const double whole = change(own, {.sources = {Source::output_norm}, .tokens = Tokens::words});
  const double tenth = change(own, {.sources = {Source::output_norm}, .tokens = Tokens::words, .dose = 0.1});
  CHECK(tenth > 0);
  CHECK(tenth < 0.05 * whole);
  const std::set<Source> before{Source::output_norm};
  const auto replaced = runs.run_vectors({.before = before});
  CHECK(change(replaced, {.sources = {Source::output_norm}, .tokens = Tokens::words, .dose = 0.1, .before = before}) <
        1e-9);
  // In the last layer nobody reads what the words' rows have become.
  const auto last = runs.run_vectors({.sources = {Source::output_norm}, .layer = 1, .tokens = Tokens::words});
  const auto first = runs.run_vectors({.sources = {Source::output_norm}, .layer = 1, .tokens = Tokens::first});
  const auto begin = static_cast<Index>(texts.measured.batch.offsets[1]);
  CHECK((last.states.row(begin) - own.states.row(begin)).norm() == 0);
  CHECK((last.states.row(begin + 1) - own.states.row(begin + 1)).norm() > 0);
  CHECK((first.states.row(begin) - own.states.row(begin)).norm() > 0);
  CHECK((first.states.row(begin + 1) - own.states.row(begin + 1)).norm() == 0);
}

TEST_CASE("a plain model's normalisations are sources too") {
  const auto ran = run(non_linearity_experiment(), checkpoint([](Parameters&) {}));
  CHECK(ran.inference("Q7") == Inference::does_not_follow);
  CHECK(ran.value("Q7", "output_norm") > 1e-4);
  CHECK(ran.findings.numbers.at("Q7").null("gelu") < 1e-6);
}

TEST_CASE("token rows of very different lengths make the first normalisation a source like the two named ones") {
  const auto ran = run(non_linearity_experiment(), checkpoint([](Parameters& parameters) {
                         parameters.change("word_embeddings.weight", [](Table& table) {
                           for (Index row = 0; row < table.rows(); ++row)
                             table.row(row) *= std::pow(1.5, static_cast<double>(row % 20));
                         });
                       }));
  CHECK(ran.value("Q7", "input_norm") > ran.value("Q7", "gelu"));
  CHECK(ran.observation("Q7") == Observation::fails);
  CHECK(ran.inference("Q7") == Inference::does_not_follow);
}

TEST_CASE("with normalisations that are affine, GELU and self-attention are all of it") {
  const auto ran = run(non_linearity_experiment(), checkpoint(affine_normalisations));
  CHECK(ran.value("Q7", "output_norm") < 1e-4);
  CHECK(ran.value("Q7", "gelu") > 1e-4);
  CHECK(ran.observation("Q7") == Observation::holds);
  CHECK(ran.inference("Q7") == Inference::follows);
  // With much of the curvature left they are not, however little a normalisation moves.
  Numbers with_more_left;
  for (Number number : ran.findings.numbers.at("Q7").all()) {
    if (number.name == "curvature_without_the_two") number.interval = Interval{.low = 0.2, .high = 0.24};
    with_more_left.add(std::move(number));
  }
  const Verdict verdict = non_linearity_experiment().rules.front().judge(with_more_left);
  CHECK(verdict.observation == Observation::holds);
  CHECK(verdict.inference == Inference::not_tested);
}

TEST_CASE("an activation that is affine on all it is given changes nothing, and is no source") {
  const auto ran = run(non_linearity_experiment(), checkpoint(affine_activation));
  CHECK(ran.value("Q7", "gelu") < 1e-4);
  CHECK(ran.value("Q7", "gelu_small_dose") < 1e-4);
  CHECK(ran.observation("Q7") == Observation::fails);
}

TEST_CASE("scores of 0 leave the softmax nothing to do") {
  const auto ran = run(non_linearity_experiment(), checkpoint(no_scores));
  CHECK(ran.value("Q7", "softmax") < 1e-6);
  CHECK(ran.value("Q7", "gelu") > 1e-4);
}

TEST_CASE("with a head the loss is measured, and the head's own sources") {
  const model::ModelParts parts{.pooler = model::Pooler::present, .heads = {model::Head::masked_language}};
  const auto ran = run(non_linearity_experiment(), checkpoint([](Parameters&) {}, parts));
  const Numbers& numbers = ran.findings.numbers.at("Q7");
  for (const char* name : {"gelu_loss", "gelu_accuracy", "head_gelu_loss", "head_norm_loss", "pooler_tanh"}) {
    CAPTURE(name);
    CHECK(std::isfinite(numbers.value(name)));
    CHECK(std::abs(numbers.null(name)) < 1e-4);
  }
  CHECK(numbers.value("pooler_tanh") > numbers.null("pooler_tanh"));
}

TEST_CASE("no corpus, or a table alone, is a gap of non-linearity") {
  Subject subject = checkpoint([](Parameters&) {});
  subject.corpus = {};
  CHECK(run(non_linearity_experiment(), subject).findings.gaps.contains("Q7"));
  subject.model = nullptr;
  CHECK(run(non_linearity_experiment(), subject).findings.gaps.contains("Q7"));
}
