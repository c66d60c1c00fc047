#include "model/position.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "model/tensor.hpp"

using namespace summand;
using namespace summand::model;

namespace {

constexpr double kPositionRounding = 1e-12;

Matrix<double> table_of(const Position& position, TableSize size, const Weights& weights = {}) {
  const auto table = position_table(position, size, weights);
  REQUIRE(table.has_value());
  REQUIRE(table->rows() == size.rows);
  REQUIRE(table->columns() == size.columns);
  return *table;
}

/// A parameter of distinct numbers.
Matrix<double> set(Weights& weights, const std::string& name, std::vector<size_t> shape) {
  Matrix<double> numbers(shape.size() == 2 ? shape[0] : 1, shape.back());
  std::vector<float> values;
  for (double& number : numbers.elements()) {
    values.push_back(static_cast<float>(std::sin(1 + 0.7 * static_cast<double>(values.size()))));
    number = double{values.back()};
  }
  weights.set("embeddings." + name, make_tensor(std::move(shape), values));
  return numbers;
}

}  // namespace

TEST_CASE("the interleaved table is the formula of Vaswani et al., section 3.5") {
  const auto table = table_of(SinusoidalPositions(), {512, 6});
  for (const size_t position : {size_t{0}, size_t{1}, size_t{511}}) {
    for (size_t i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(position) / std::pow(10000.0, 2 * static_cast<double>(i) / 6);
      CHECK(std::abs(table(position, 2 * i) - std::sin(angle)) < kPositionRounding);
      CHECK(std::abs(table(position, 2 * i + 1) - std::cos(angle)) < kPositionRounding);
    }
  }
}

TEST_CASE("layout, first index, base and scale each change the table as named") {
  const auto table = table_of(SinusoidalPositions(), {10, 4});
  const auto halves = table_of(SinusoidalPositions{.layout = SinusoidLayout::halves}, {10, 4});
  CHECK(halves(7, 1) == table(7, 2));
  CHECK(halves(7, 2) == table(7, 1));
  CHECK(table_of(SinusoidalPositions{.first_index = 1}, {9, 4})(3, 2) == table(4, 2));
  CHECK(table_of(SinusoidalPositions{.scale = 2}, {10, 4})(5, 0) == 2 * table(5, 0));
  CHECK(std::abs(table_of(SinusoidalPositions{.base = 100}, {10, 4})(5, 2) - std::sin(0.5)) < kPositionRounding);
}

TEST_CASE("inner products of the sinusoid depend on the distance alone") {
  const auto table = table_of(SinusoidalPositions(), {200, 32});
  const auto product = [&](size_t m, size_t n) {
    double total = 0;
    for (size_t i = 0; i < 32; ++i) total += table(m, i) * table(n, i);
    return total;
  };
  CHECK(std::abs(product(0, 17) - product(150, 167)) < kPositionRounding * 100);
  CHECK(std::abs(product(3, 3) - 16) < kPositionRounding * 100);
}

TEST_CASE("powers and trained frequencies are sines and cosines of their own frequencies") {
  const auto powers = table_of(PowerPositions{.exponent = 0.5, .first_index = 2, .scale = 3}, {20, 8});
  Weights weights;
  const auto frequencies = set(weights, "position_frequencies", {4});
  const auto trained = table_of(TrainedSinusoids(), {20, 8}, weights);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(std::abs(powers(7, 2 * i) - 3 * std::sin(9 / std::sqrt(static_cast<double>(i) + 1))) < kPositionRounding);
    CHECK(std::abs(trained(7, 2 * i) - std::sin(7 * frequencies(0, i))) < kPositionRounding);
    CHECK(std::abs(trained(7, 2 * i + 1) - std::cos(7 * frequencies(0, i))) < kPositionRounding);
  }
}

TEST_CASE("learned and fixed tables are the rows of the checkpoint") {
  Weights weights;
  const auto rows = set(weights, "position_embeddings.weight", {5, 3});
  for (const Position& position : {Position(LearnedPositions()), Position(FixedPositions())}) {
    const auto table = table_of(position, {5, 3}, weights);
    CHECK(std::ranges::equal(table.elements(), rows.elements()));
  }
  CHECK(position_rows(FixedPositions(), weights) != nullptr);
  CHECK(position_rows(SinusoidalPositions(), weights) == nullptr);
  CHECK_FALSE(position_table(NoPositions(), {5, 3}, weights).has_value());
}

TEST_CASE("the bare index goes along one direction") {
  Weights weights;
  const auto direction = set(weights, "position_direction", {3});
  const auto table = table_of(ScalarPositions(), {8, 3}, weights);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(table(0, i) == 0);
    CHECK(std::abs(table(6, i) - 6.0 / 8 * direction(0, i)) < kPositionRounding);
  }
}

TEST_CASE("smooth tables are slow cosines, and with as many as rows their rows keep the parameters' inner products") {
  Weights weights;
  const auto rows = set(weights, "position_cosines.weight", {6, 2});
  const auto smooth = table_of(SmoothPositions{.cosines = 6}, {6, 2}, weights);
  double own = 0;
  double all = 0;
  for (size_t i = 0; i < 12; ++i) {
    own += rows.elements()[i] * rows.elements()[i];
    all += smooth.elements()[i] * smooth.elements()[i];
  }
  CHECK(std::abs(own - all) < kPositionRounding);  // the cosines are orthonormal
  Weights one;
  const auto first = set(one, "position_cosines.weight", {2, 1});
  const auto slow = table_of(SmoothPositions{.cosines = 2}, {4, 1}, one);
  for (size_t x = 0; x < 4; ++x) {
    const double wave = std::cos(std::numbers::pi * (static_cast<double>(x) + 0.5) / 4);
    CHECK(std::abs(slow(x, 0) - 0.5 * first(0, 0) - std::sqrt(0.5) * wave * first(1, 0)) < kPositionRounding);
  }
}

TEST_CASE("an extended table keeps its first rows, and the others are Su's") {
  constexpr double kAlpha = 0.4;
  Weights weights;
  const auto rows = set(weights, "position_embeddings.weight", {4, 3});
  const auto table = table_of(ExtendedPositions{.rows = 4, .alpha = kAlpha}, {14, 3}, weights);
  const auto u = [&](size_t row, size_t i) { return (rows(row, i) - kAlpha * rows(0, i)) / (1 - kAlpha); };
  for (size_t i = 0; i < 3; ++i) {
    for (size_t row = 0; row < 4; ++row) CHECK(std::abs(table(row, i) - rows(row, i)) < kPositionRounding);
    CHECK(std::abs(table(13, i) - kAlpha * u(3, i) - (1 - kAlpha) * u(1, i)) < kPositionRounding);
  }
}

TEST_CASE("every kind of positions has a name of its own, and what does not fit is refused") {
  std::set<std::string> names;
  for (const auto& position : typical_positions({16, 8})) {
    CHECK(names.insert(std::string(name_of(position))).second);
    CHECK(validation_error(position, {16, 8}).empty());
  }
  CHECK(validation_error(SinusoidalPositions(), {4, 3}) ==
        "kind: expected a table of an even width for sines and cosines, got 3");
  CHECK(validation_error(SinusoidalPositions{.base = 0}, {4, 4}) == "base: expected a number above 0, got 0");
  CHECK_FALSE(validation_error(SmoothPositions{.cosines = 0}, {4, 4}).empty());
  CHECK_FALSE(validation_error(ExtendedPositions{.rows = 5}, {4, 4}).empty());
}
