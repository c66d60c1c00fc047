#include "lab/statistics/boosted_trees.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.hpp"
#include "lab/statistics/scores.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

/// Trees answer in float.
constexpr double kFloat = 1e-6;

/// Steps and a product of columns, and some noise.
Vector planted_targets(const Table& x) {
  const Table noise = planted::gaussian(static_cast<size_t>(x.rows()), 1, "noise");
  return Vector::NullaryExpr(x.rows(), [&](Eigen::Index i) {
    return (x(i, 0) > 0.5 ? 3.0 : 0.0) + x(i, 1) * (x(i, 2) > 0 ? 1 : -1) + 0.1 * noise(i, 0);
  });
}

}  // namespace

TEST_CASE("one stump splits where the step is and answers with both means") {
  Table x(40, 2);
  Vector y(40);
  for (Eigen::Index i = 0; i < 40; ++i) {
    x(i, 0) = static_cast<double>(i % 7);
    x(i, 1) = static_cast<double>(i);
    y(i) = i < 24 ? -2 : 5;
  }
  for (const auto search : {SplitSearch::exact, SplitSearch::histogram}) {
    const auto stump = fit_boosted_trees(x, y, {.trees = 1, .depth = 1, .learning_rate = 1, .search = search});
    CHECK((stump.predict(x) - y).cwiseAbs().maxCoeff() < kFloat * 5);
  }
}

TEST_CASE("no leaf holds fewer samples than asked for") {
  // The step is 14 samples from the end: a leaf of 15 cannot hold it alone, one of 14 can.
  Table x(50, 1);
  Vector y(50);
  for (Eigen::Index i = 0; i < 50; ++i) {
    x(i, 0) = static_cast<double>(i);
    y(i) = i < 14 ? 1 : 0;
  }
  const auto fitted = [&](int min_leaf) {
    return fit_boosted_trees(x, y, {.trees = 1, .depth = 1, .learning_rate = 1, .min_leaf = min_leaf}).predict(x);
  };
  CHECK((fitted(14) - y).cwiseAbs().maxCoeff() < kFloat);
  CHECK(fitted(15)(0) == doctest::Approx(14.0 / 15).epsilon(kFloat));
  CHECK(fitted(15)(14) == doctest::Approx(14.0 / 15).epsilon(kFloat));
  CHECK(std::abs(fitted(15)(15)) < kFloat);
}

TEST_CASE("a step and a product are learned, and held-out rows are predicted") {
  const Table x = planted::gaussian(4000, 6, "boosting");
  const Vector y = planted_targets(x);
  for (const auto search : {SplitSearch::exact, SplitSearch::histogram}) {
    const auto trees = fit_boosted_trees(x.topRows(3000), y.head(3000), {.search = search});
    const Vector tail = y.tail(1000);
    CHECK(scores(elements(trees.predict(x.bottomRows(1000))), elements(tail)).r2 > 0.97);
  }
}

TEST_CASE("bins that hold every value split as the exact search does, and few bins do not") {
  const Table x = (10 * planted::gaussian(1200, 4, "bins")).array().round();  // some 70 values a column
  const Vector y = planted_targets(x);
  const auto fitted = [&](SplitSearch search, int bins) {
    return fit_boosted_trees(x, y, {.trees = 20, .depth = 3, .search = search, .bins = bins}).predict(x);
  };
  const Vector exact = fitted(SplitSearch::exact, 256);
  CHECK((fitted(SplitSearch::histogram, 256) - exact).cwiseAbs().maxCoeff() < kFloat * exact.cwiseAbs().maxCoeff());
  CHECK((fitted(SplitSearch::histogram, 4) - exact).cwiseAbs().maxCoeff() > 0.1);
}

TEST_CASE("trees do not depend on threads, to the last bit") {
  const Table x = planted::gaussian(4000, 6, "threads");
  const Vector y = 1e5 * planted_targets(x).array().exp();  // residuals of very different size
  for (const auto search : {SplitSearch::exact, SplitSearch::histogram}) {
    const auto fitted = [&](int threads) {
      return fit_boosted_trees(x, y, {.trees = 4, .search = search, .threads = threads}).predict(x);
    };
    const Vector one = fitted(1);
    CHECK(one == fitted(2));
    CHECK(one == fitted(1));
  }
}

TEST_CASE("inputs that do not fit are refused") {
  const Table x = planted::gaussian(40, 3, "refused");
  CHECK_THROWS_AS(static_cast<void>(fit_boosted_trees(x, Vector::Zero(39), {})), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(fit_boosted_trees(1e300 * x, Vector::Zero(40), {})), summand::UsageError);
  const auto trees = fit_boosted_trees(x, Vector::Ones(40), {.trees = 2});
  CHECK(trees.predict(x)(7) == 1);
  CHECK_THROWS_AS(static_cast<void>(trees.predict(x.leftCols(2))), summand::UsageError);
}
