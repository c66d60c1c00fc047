#include "lab/statistics/pairs.hpp"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "lab/statistics/antisymmetric_network.hpp"
#include "lab/statistics/boosted_trees.hpp"
#include "lab/statistics/linear_regression.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/pair_regression.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/scores.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

/// Σ (error)² + penalty · Σ weights² made smallest, the offset free, by its normal equations.
LinearModel ridge(const Table& inputs, const Table& targets, double penalty) {
  const Table x = centred(inputs);
  const Eigen::MatrixXd gram = x.transpose() * x + penalty * Eigen::MatrixXd::Identity(x.cols(), x.cols());
  const Table weights = gram.ldlt().solve(x.transpose() * centred(targets));
  return {weights, column_means(targets) - weights.transpose() * column_means(inputs)};
}

PairSplit split(size_t positions, HeldOut held_out, size_t at_most) {
  summand::RandomStream stream(1, "split");
  return split_pairs(positions, {.held_out = held_out, .at_most = at_most}, stream);
}

std::set<size_t> positions_of(const std::vector<Pair>& pairs) {
  std::set<size_t> positions;
  for (const Pair& pair : pairs) positions.insert({pair.a, pair.b});
  return positions;
}

Scores scores_of(const PairModel& model, const Table& table, const std::vector<Pair>& pairs) {
  return scores(elements(model.predict(table, pairs)), elements(pair_distances(pairs)));
}

}  // namespace

TEST_CASE("pairs are split whole: every pair is in training or in the test, none in both") {
  const auto parts = split(30, HeldOut::pairs, 10'000);
  CHECK(parts.test.size() == 360);
  CHECK(parts.train.size() == 540);
  std::set<std::pair<size_t, size_t>> all;
  for (const auto& half : {parts.train, parts.test}) {
    for (const Pair& pair : half) all.insert({pair.a, pair.b});
  }
  CHECK(all.size() == 900);
  CHECK(split(30, HeldOut::pairs, 100).train.size() == 100);
}

TEST_CASE("held-out positions are in no training pair, and a held-out block is the middle one") {
  for (const auto held_out : {HeldOut::positions, HeldOut::block}) {
    const auto parts = split(50, held_out, 10'000);
    const auto train = positions_of(parts.train);
    const auto test = positions_of(parts.test);
    CHECK(train.size() == 30);
    CHECK(test.size() == 20);
    for (const size_t position : test) CHECK(!train.contains(position));
    const bool middle = *test.begin() == 15 && *test.rbegin() == 34;
    CHECK(middle == (held_out == HeldOut::block));
  }
  summand::RandomStream stream(1, "few");
  CHECK_THROWS_AS(static_cast<void>(split_pairs(3, {}, stream)), summand::UsageError);
}

TEST_CASE("features of a pair are both rows, and its target the signed distance") {
  Table table(3, 2);
  table << 1, 2, 3, 4, 5, 6;
  const std::vector<Pair> pairs{{0, 2}, {1, 0}};
  Table expected(2, 4);
  expected << 1, 2, 5, 6, 3, 4, 1, 2;
  CHECK(pair_features(table, pairs) == expected);
  CHECK(pair_distances(pairs) == Vector{{2, -1}});
  CHECK_THROWS_AS(static_cast<void>(pair_features(table, std::vector<Pair>{{0, 3}})), summand::UsageError);
}

TEST_CASE("regression from counts is regression on the features") {
  // Weights are read from squares: half of the digits are left where the table is badly conditioned, as here by 1e3.
  constexpr double kSquares = 1e-6;
  const Table narrow = planted::walk(60, 7, "narrow");
  const Table wide = planted::gaussian(20, 30, "wide");
  for (const Table& table : {narrow, wide}) {
    const auto pairs = split(static_cast<size_t>(table.rows()), HeldOut::pairs, 250).train;
    const Table features = pair_features(table, pairs);
    const Table targets = pair_distances(pairs);
    for (const double penalty : {0.0, 3.0}) {
      const auto ours = fit_pair_regression(table, pairs, penalty);
      const auto reference = penalty > 0 ? ridge(features, targets, penalty) : fit_least_squares(features, targets);
      Table weights(2 * table.cols(), 1);
      weights << ours.of_first, ours.of_second;
      CHECK((weights - reference.weights).cwiseAbs().maxCoeff() < kSquares);
      CHECK(ours.offset == doctest::Approx(reference.offset(0)).epsilon(kSquares));
      CHECK((ours.predict(table, pairs) - reference.predict(features).col(0)).cwiseAbs().maxCoeff() < kSquares);
    }
  }
}

TEST_CASE("a pair split leaks: random numbers predict every distance, until positions are held out") {
  const Table table = planted::gaussian(511, 768, "leak");
  const auto leaking = split(511, HeldOut::pairs, 20'000);
  // Rounding alone is left of a variance of 43,520: the ledger has 1e-24 by orthogonal factors, squares keep 1e-8 of
  // 200.
  CHECK(scores_of(fit_pair_regression(table, leaking.train, 0), table, leaking.test).mse < 1e-6);
  const auto honest = split(511, HeldOut::positions, 20'000);
  const auto result = scores_of(fit_pair_regression(table, honest.train, 0), table, honest.test);
  CHECK(result.r2 < 0.1);
  CHECK(result.variance == doctest::Approx(43'520).epsilon(0.1));
}

TEST_CASE("distances of all pairs have the variance and the size that the ledger compares with") {
  auto parts = split(511, HeldOut::pairs, 300'000);
  parts.train.insert(parts.train.end(), parts.test.begin(), parts.test.end());
  const Vector distances = pair_distances(parts.train);
  REQUIRE(distances.size() == 261'121);
  const auto of_zero = scores(elements(Vector(Vector::Zero(distances.size()))), elements(distances));
  CHECK(of_zero.variance == doctest::Approx(43'520).epsilon(1e-9));
  CHECK(of_zero.mae == doctest::Approx(170.3).epsilon(1e-3));
}

TEST_CASE("holding positions out protects from random numbers and not from a smooth path") {
  const auto parts = split(511, HeldOut::positions, 6000);
  const auto trees_r2 = [&](const Table& table) {
    const Table scores_of_rows = principal_components(table, 18).scores;
    const auto trees = fit_boosted_trees(pair_features(scores_of_rows, parts.train), pair_distances(parts.train), {});
    return scores(elements(trees.predict(pair_features(scores_of_rows, parts.test))),
                  elements(pair_distances(parts.test)))
        .r2;
  };
  CHECK(trees_r2(planted::walk(511, 768, "held out")) > 0.99);
  CHECK(trees_r2(planted::gaussian(511, 768, "held out")) < 0.1);
}

TEST_CASE("the network that swaps sign converges where the target is normalised") {
  const Table table = principal_components(planted::smooth(160, 40, "network"), 5).scores;
  const auto parts = split(160, HeldOut::pairs, 6000);
  summand::RandomStream stream(1, "network");
  const auto network = fit_antisymmetric_network(table, parts.train, {.hidden = 32, .epochs = 40}, stream);
  const auto result = scores(elements(network.predict(table, parts.test)), elements(pair_distances(parts.test)));
  const auto linear = scores_of(fit_pair_regression(table, parts.train, 0), table, parts.test);
  INFO("R² ", result.r2, ", linear ", linear.r2);
  CHECK(result.r2 > 0.998);
  // A linear fit of the same pairs falls behind: something was learned beyond it.
  CHECK(result.r2 > linear.r2 + 0.1);

  std::vector<Pair> swapped = parts.test;
  for (Pair& pair : swapped) std::swap(pair.a, pair.b);
  CHECK((network.predict(table, parts.test) + network.predict(table, swapped)).cwiseAbs().maxCoeff() < 1e-9);
}

TEST_CASE("the network is the same for one seed and another for another") {
  const Table table = planted::walk(20, 3, "seeds");
  const auto pairs = split(20, HeldOut::pairs, 200).train;
  const auto trained = [&](uint64_t seed) {
    summand::RandomStream stream(seed, "network");
    return fit_antisymmetric_network(table, pairs, {.hidden = 4, .epochs = 2}, stream).first;
  };
  CHECK(trained(1) == trained(1));
  CHECK(trained(1) != trained(2));
}
