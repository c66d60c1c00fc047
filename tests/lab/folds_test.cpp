#include "lab/statistics/folds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/statistics/linear_regression.hpp"
#include "lab/statistics/logistic_regression.hpp"
#include "lab/statistics/pairs.hpp"
#include "lab/statistics/scores.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

std::vector<Fold> five_folds(size_t items) {
  summand::RandomStream stream(1, "folds");
  return random_folds(items, 5, stream);
}

/// Wang & Chen 2020: the position from the row by least squares, mean absolute error over five folds.
double position_error(const Table& table) {
  const auto rows = static_cast<size_t>(table.rows());
  const Table positions = Vector::LinSpaced(table.rows(), 0, static_cast<double>(rows - 1));
  double error = 0;
  for (const Fold& fold : five_folds(rows)) {
    const auto model = fit_least_squares(table(fold.train, Eigen::all), positions(fold.train, Eigen::all));
    const Table predicted = model.predict(table(fold.test, Eigen::all));
    const Table truth = positions(fold.test, Eigen::all);
    error += scores(elements(predicted), elements(truth)).mae / 5;
  }
  return error;
}

/// Wang & Chen 2020: which of two rows comes first, by logistic regression on both, error over five folds of 512 pairs.
double order_error(const Table& table) {
  summand::RandomStream stream(1, "order");
  std::vector<Pair> pairs(512);
  for (Pair& pair : pairs) pair = {stream.below(512), stream.below(512)};
  const Table features = pair_features(table, pairs);
  double error = 0;
  for (const Fold& fold : five_folds(pairs.size())) {
    const auto labels = [&](const std::vector<size_t>& items) {
      std::vector<int32_t> result;
      for (const size_t item : items) result.push_back(pairs[item].a < pairs[item].b);
      return result;
    };
    const auto model = fit_logistic(features(fold.train, Eigen::all), labels(fold.train), 2, {});
    error += (1 - accuracy(model.predict(features(fold.test, Eigen::all)), labels(fold.test))) / 5;
  }
  return error;
}

}  // namespace

TEST_CASE("every item is tested once and trained on in all other folds") {
  for (const auto& folds : {five_folds(23), block_folds(23, 5)}) {
    std::vector<int> tested(23, 0);
    for (const Fold& fold : folds) {
      CHECK((fold.test.size() == 4 || fold.test.size() == 5));
      CHECK(fold.train.size() + fold.test.size() == 23);
      for (const size_t item : fold.test) {
        ++tested[item];
        CHECK(!std::ranges::binary_search(fold.train, item));
      }
    }
    CHECK(tested == std::vector<int>(23, 1));
  }
  CHECK(five_folds(23)[0].test.back() - five_folds(23)[0].test.front() > 5);
  CHECK(block_folds(23, 5)[1].test == std::vector<size_t>{5, 6, 7, 8, 9});
  CHECK_THROWS_AS(static_cast<void>(block_folds(3, 4)), summand::UsageError);
}

TEST_CASE("the published position metrics reward smoothness alone") {
  // The ledger: position error 0.00 of the sinusoid, .68 of an untrained random walk, 192 of Gaussian numbers;
  // predicting the mean errs by 128. Of other draws and folds the walk lies some tenths, the Gaussian some twenty away.
  CHECK(position_error(sinusoid({512, 768})) < 0.01);
  CHECK(position_error(planted::walk(512, 768, "Wang & Chen")) < 1);
  CHECK(position_error(planted::gaussian(512, 768, "Wang & Chen")) > 150);
}

TEST_CASE("the published order metric is far from half on random numbers") {
  // The ledger: 5.00 % on the sinusoid, its deviation over draws .92; 36 to 39 % on Gaussian numbers. On 512 pairs an
  // error near a third has a deviation of 2 points.
  CHECK(std::abs(order_error(sinusoid({512, 768})) - 0.05) < 0.03);
  CHECK(std::abs(order_error(planted::gaussian(512, 768, "order")) - 0.37) < 0.06);
}
