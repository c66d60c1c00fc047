#include "lab/experiments/distance/position_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "lab/statistics/linear_regression.hpp"
#include "lab/statistics/logistic_regression.hpp"
#include "lab/statistics/pairs.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr size_t kFolds = 5;

struct Fold {
  std::vector<Index> train;
  std::vector<Index> test;
};

/// The fold's part of an order is the test, the rest training.
Fold fold_of(std::span<const Index> order, size_t fold) {
  const size_t first = fold * order.size() / kFolds;
  const size_t end = (fold + 1) * order.size() / kFolds;
  Fold parts;
  for (size_t i = 0; i < order.size(); ++i) (i >= first && i < end ? parts.test : parts.train).push_back(order[i]);
  return parts;
}

std::vector<int32_t> labels_at(std::span<const int32_t> labels, std::span<const Index> rows) {
  std::vector<int32_t> chosen;
  for (const Index row : rows) chosen.push_back(labels[static_cast<size_t>(row)]);
  return chosen;
}

}  // namespace

double position_error(const Table& table, Folds folds, RandomStream& stream) {
  std::vector<Index> order(static_cast<size_t>(table.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  switch (folds) {
    case Folds::random:
      stream.shuffle(std::span(order));
      break;
    case Folds::blocks:
      break;
  }
  const Table positions = Vector::LinSpaced(table.rows(), 0, static_cast<double>(table.rows() - 1));
  double error = 0;
  for (size_t i = 0; i < kFolds; ++i) {
    const Fold fold = fold_of(order, i);
    const auto model = fit_least_squares(table(fold.train, Eigen::all), positions(fold.train, Eigen::all));
    const Table read = model.predict(table(fold.test, Eigen::all)).array().round();
    error += (read - positions(fold.test, Eigen::all)).cwiseAbs().mean() / kFolds;
  }
  return error;
}

double order_error(const Table& table, RandomStream& stream) {
  const auto rows = static_cast<size_t>(table.rows());
  std::vector<Pair> pairs;
  std::vector<int32_t> labels;
  for (size_t i = 0; i < rows; ++i) {
    pairs.push_back({stream.below(rows), stream.below(rows)});
    labels.push_back(pairs.back().b > pairs.back().a ? 1 : 0);
  }
  const Table features = pair_features(table, pairs);
  std::vector<Index> order(rows);
  std::iota(order.begin(), order.end(), Index{0});
  double error = 0;
  for (size_t i = 0; i < kFolds; ++i) {
    const Fold fold = fold_of(order, i);
    const auto train = labels_at(labels, fold.train);
    const auto model =
        fit_logistic(features(fold.train, Eigen::all), train, 2, {.penalty = 1, .tolerance = 1e-4, .iterations = 300});
    error += (1 - accuracy(model.predict(features(fold.test, Eigen::all)), labels_at(labels, fold.test))) / kFolds;
  }
  return error;
}

}  // namespace summand::lab
