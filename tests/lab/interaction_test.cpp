// Derivatives of the model's output by its sums, and what is said of them.
#include "lab/probing/interaction.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lab/experiments/covariance/hessian_diagonal.hpp"
#include "lab/experiments/experiments.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand::lab;
using planted::ThreeTables;

namespace {

constexpr size_t kPositions = 64;
constexpr size_t kHidden = 32;
constexpr double kStep = 1e-3;              // of central differences
constexpr double kDifferencesError = 1e-4;  // relative: their error is kStep² times fourth derivatives

Subject subject_of(const std::function<void(ThreeTables&)>& change, const std::vector<summand::Head>& heads = {}) {
  return planted::checkpoint({kPositions, kHidden}, change, heads);
}

Vector direction(size_t number) {
  Vector result(kHidden);
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    result(i) = std::sin(static_cast<double>(i) * (1.3 + static_cast<double>(number)) + 0.4);
  }
  return result;
}

Derivatives derivatives_of(const Interaction& interaction, const ExpandedText& text, const std::vector<Step>& first,
                           const std::vector<Step>& second) {
  const DirectedText directed{.text = text, .first = first, .second = second};
  return interaction.derivatives({&directed, 1}).front();
}

Vector value_of(const Interaction& interaction, const ExpandedText& text, const Table& sum) {
  return interaction.values(text, {&sum, 1}).front();
}

}  // namespace

TEST_CASE("first and mixed derivatives are those of central differences, of the loss as well") {
  const Subject subject = subject_of([](ThreeTables&) {}, {summand::Head::masked_language});
  const Conditions conditions{.seed = 3, .threads = 2};
  const Interaction interaction(subject, conditions);
  REQUIRE(interaction.functions() == Interaction::kDirections + 1);
  const auto text = interaction.texts(1, 9).front();
  // More steps than one pass carries; the same token in both orders too.
  std::vector<Step> first;
  std::vector<Step> second;
  for (size_t i = 0; i < 10; ++i) first.push_back({.token = i % 9, .along = direction(i)});
  for (size_t i = 0; i < 9; ++i) second.push_back({.token = 8 - i, .along = direction(i + 30)});
  const auto derivatives = derivatives_of(interaction, text, first, second);
  const auto at = [&](const Step& a, double by_a, const Step& b, double by_b) {
    Table sum = text.sum;
    sum.row(static_cast<Eigen::Index>(a.token)) += by_a * a.along.transpose();
    sum.row(static_cast<Eigen::Index>(b.token)) += by_b * b.along.transpose();
    return value_of(interaction, text, sum);
  };
  struct Pair {
    size_t k;
    size_t l;
  };
  for (const auto [k, l] : {Pair{0, 0}, Pair{4, 4}, Pair{9, 8}, Pair{2, 7}, Pair{8, 0}}) {
    const Vector slope = (at(first[k], kStep, second[l], 0) - at(first[k], -kStep, second[l], 0)) / (2 * kStep);
    const Vector mixed = (at(first[k], kStep, second[l], kStep) - at(first[k], kStep, second[l], -kStep) -
                          at(first[k], -kStep, second[l], kStep) + at(first[k], -kStep, second[l], -kStep)) /
                         (4 * kStep * kStep);
    Vector exact(mixed.size());
    for (Eigen::Index f = 0; f < exact.size(); ++f) {
      exact(f) = derivatives.mixed[static_cast<size_t>(f)](static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(l));
    }
    const Vector exact_slope = derivatives.first.col(static_cast<Eigen::Index>(k));
    CHECK((slope - exact_slope).norm() < kDifferencesError * exact_slope.norm());
    CHECK((mixed - exact).norm() < kDifferencesError * exact.norm());
    CHECK(std::abs(exact(Interaction::kDirections)) > 0);  // the loss feels it
  }
}

TEST_CASE("derivatives do not depend on the number of threads") {
  const Subject subject = subject_of([](ThreeTables&) {});
  const Conditions one{.seed = 3, .threads = 1};
  const Conditions two{.seed = 3, .threads = 2};
  std::vector<Step> steps;
  for (size_t i = 0; i < 12; ++i) steps.push_back({.token = i % 6, .along = direction(i)});
  const Interaction alone(subject, one);
  const Interaction together(subject, two);
  const auto text = alone.texts(1, 6).front();
  const auto a = derivatives_of(alone, text, steps, steps);
  const auto b = derivatives_of(together, text, steps, steps);
  for (size_t f = 0; f < a.mixed.size(); ++f) CHECK(a.mixed[f] == b.mixed[f]);
  CHECK(a.first == b.first);
}

TEST_CASE("small positions are expanded well, positions as long as tokens are not") {
  const auto small =
      planted::run(expansion_experiment(), subject_of([](ThreeTables& tables) { tables.positions *= 0.02; }));
  CHECK(small.verdicts.at("4.2").observation == Observation::holds);
  CHECK(small.verdicts.at("4.2").inference == Inference::follows);
  CHECK(small.findings.numbers.at("4.2").value("explained_2") > 0.95);
  const auto large =
      planted::run(expansion_experiment(), subject_of([](ThreeTables& tables) { tables.positions *= 2; }));
  CHECK(large.verdicts.at("4.2").observation == Observation::fails);
  CHECK(large.verdicts.at("4.2").inference == Inference::does_not_follow);
}

TEST_CASE("the terms of the expansion add up to the second derivative along all positions at once") {
  const Subject subject = subject_of([](ThreeTables& tables) { tables.positions *= 0.1; });
  const Conditions conditions{.seed = 1, .threads = 1};
  const Interaction interaction(subject, conditions);
  const auto text = interaction.texts(1, 8).front();
  std::vector<Step> steps;
  for (Eigen::Index t = 0; t < text.moves.rows(); ++t) {
    steps.push_back({.token = static_cast<size_t>(t), .along = text.moves.row(t).transpose()});
  }
  const auto derivatives = derivatives_of(interaction, text, steps, steps);
  const auto along = [&](double strength) { return value_of(interaction, text, text.sum + strength * text.moves); };
  const Vector slope = (along(kStep) - along(-kStep)) / (2 * kStep);
  const Vector bend = (along(0.01) - 2 * along(0) + along(-0.01)) / 1e-4;
  Vector summed(bend.size());
  for (Eigen::Index f = 0; f < summed.size(); ++f) summed(f) = derivatives.mixed[static_cast<size_t>(f)].sum();
  CHECK((slope - derivatives.first.rowwise().sum()).norm() < kDifferencesError * slope.norm());
  CHECK((bend - summed).norm() < 1e-2 * bend.norm());
}

TEST_CASE("without a model, or with texts too short, there is nothing to expand") {
  Subject table;
  table.positions = Table::Random(40, 8);
  CHECK(lacks_interaction(table, 6));
  const auto ran = planted::run(expansion_experiment(), table);
  CHECK(ran.verdicts.at("4.2").observation == Observation::not_measured);
  const Subject subject = subject_of([](ThreeTables&) {});
  CHECK_FALSE(lacks_interaction(subject, 6));
  CHECK(lacks_interaction(subject, 500));
}

TEST_CASE("a random model's H has no diagonal, on coordinates as little as along random directions") {
  Findings findings;
  measure_hessian_diagonal(subject_of([](ThreeTables&) {}), {.seed = 2, .threads = 2}, findings);
  const Numbers& numbers = findings.numbers.at("4.6");
  CHECK(numbers.value(kHessianShare) < 0.3);
  CHECK(numbers.control(kHessianShare) == doctest::Approx(1));
  CHECK(numbers.value("logit_form_share") < 0.1);
  CHECK(numbers.control("logit_form_share") == doctest::Approx(1));
}
