#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "lab/statistics/lbfgs.hpp"
#include "lab/statistics/linear_regression.hpp"
#include "lab/statistics/logistic_regression.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/scores.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

constexpr double kRegressionRounding = 1e-9;

double largest_difference(const Table& a, const Table& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

/// Labels drawn from planted logits.
std::vector<int32_t> drawn_labels(const Table& logits, const char* name) {
  summand::RandomStream stream(3, name);
  std::vector<int32_t> labels;
  for (Eigen::Index row = 0; row < logits.rows(); ++row) {
    const Eigen::ArrayXd odds = logits.row(row).array().exp();
    double left = stream.uniform() * odds.sum();
    int32_t label = 0;
    while (label + 1 < odds.size() && left >= odds(label)) left -= odds(label++);
    labels.push_back(label);
  }
  return labels;
}

/// −Σ log p + λ/2 Σ w², from the model's own probabilities.
double penalised_loss(const LogisticModel& model, const Table& x, const std::vector<int32_t>& labels, double penalty) {
  const Table p = model.probabilities(x);
  double loss = penalty / 2 * model.weights.squaredNorm();
  for (size_t i = 0; i < labels.size(); ++i) loss -= std::log(p(static_cast<Eigen::Index>(i), labels[i]));
  return loss / static_cast<double>(labels.size());
}

}  // namespace

TEST_CASE("scores of a small prediction are those worked out by hand") {
  const auto result = scores(std::vector<double>{1, 2, 4}, std::vector<double>{1, 3, 2});
  CHECK(result.mse == doctest::Approx(5.0 / 3));
  CHECK(result.mae == doctest::Approx(1));
  CHECK(result.variance == doctest::Approx(2.0 / 3));
  CHECK(result.r2 == doctest::Approx(1 - 2.5));
  CHECK(scores(std::vector<double>{2, 2}, std::vector<double>{2, 2}).r2 == 1);
  CHECK(scores(std::vector<double>{2, 3}, std::vector<double>{2, 2}).r2 == 0);
}

TEST_CASE("least squares returns planted weights, whatever the shape") {
  const Table weights = planted::gaussian(6, 2, "weights");
  for (const size_t rows : {8, 13, 14, 300}) {
    const Table x = planted::gaussian(rows, 6, "least squares");
    const Table y = (x * weights).rowwise() + Eigen::RowVector2d(5, -9);
    const auto model = fit_least_squares(x, y);
    CHECK(largest_difference(model.weights, weights) < kRegressionRounding);
    CHECK(model.offset.isApprox(Vector{{5, -9}}, kRegressionRounding));
    CHECK(largest_difference(model.predict(x), y) < kRegressionRounding);
  }
}

TEST_CASE("errors of least squares are orthogonal to the columns and to the constant") {
  for (const size_t rows : {40, 400}) {
    const Table x = planted::gaussian(rows, 15, "errors");
    const Table y = planted::gaussian(rows, 3, "noise");
    const Table errors = fit_least_squares(x, y).predict(x) - y;
    CHECK((x.transpose() * errors).cwiseAbs().maxCoeff() < kRegressionRounding);
    CHECK(errors.colwise().sum().cwiseAbs().maxCoeff() < kRegressionRounding);
  }
}

TEST_CASE("where many weights fit, the smallest are taken") {
  const Table x = planted::gaussian(20, 50, "wide");
  const Table y = planted::gaussian(20, 1, "targets");
  const auto model = fit_least_squares(x, y);
  CHECK(largest_difference(model.predict(x), y) < kRegressionRounding);
  // The smallest weights have no part outside the span of the centred rows.
  const Table rows = centred(x);
  const Eigen::MatrixXd gram = rows * rows.transpose() + Eigen::MatrixXd::Ones(20, 20);
  const Table inside = rows.transpose() * gram.partialPivLu().solve(Eigen::MatrixXd(rows * model.weights));
  CHECK(largest_difference(inside, model.weights) < kRegressionRounding);
  // Doubled columns share a weight.
  Table doubled(200, 4);
  doubled.leftCols(2) = planted::gaussian(200, 2, "doubled");
  doubled.rightCols(2) = doubled.leftCols(2);
  const Table single = planted::gaussian(200, 1, "single");
  const auto shared = fit_least_squares(doubled, single);
  CHECK(largest_difference(shared.weights.topRows(2), shared.weights.bottomRows(2)) < kRegressionRounding);
}

TEST_CASE("a banana-shaped valley is walked to its end") {
  // Rosenbrock 1960, minimum 0 at (1, 1).
  const auto rosenbrock = [](const Vector& x, Vector& gradient) {
    const double across = x(1) - x(0) * x(0);
    gradient = Vector{{-400 * x(0) * across - 2 * (1 - x(0)), 200 * across}};
    return 100 * across * across + (1 - x(0)) * (1 - x(0));
  };
  const auto minimum = minimise(rosenbrock, Vector{{-1.2, 1}}, 1e-10, 500);
  CHECK((minimum.at - Vector{{1, 1}}).norm() < 1e-8);
  CHECK(minimum.gradient <= 1e-10);
  CHECK(minimise(rosenbrock, Vector{{-1.2, 1}}, 1e-10, 3).iterations == 3);
}

TEST_CASE("the logistic loss is at its minimum, for two classes and for five") {
  for (const Eigen::Index classes : {2, 5}) {
    const Table x = planted::gaussian(1500, 6, "logistic");
    const auto labels = drawn_labels(x * planted::gaussian(6, static_cast<size_t>(classes), "logits"), "labels");
    const LogisticSettings settings{.penalty = 3, .tolerance = 1e-9};
    const auto model = fit_logistic(x, labels, static_cast<size_t>(classes), settings);
    CHECK(model.converged);
    CHECK(model.weights.cols() == (classes == 2 ? 1 : classes));
    const double loss = penalised_loss(model, x, labels, settings.penalty);
    CHECK(loss == doctest::Approx(model.loss).epsilon(1e-10));
    // No single entry can be moved to make it smaller; the loss is convex, so nothing else can.
    for (Eigen::Index i = 0; i < model.weights.size(); ++i) {
      for (const double step : {-1e-3, 1e-3}) {
        auto moved = model;
        moved.weights.data()[i] += step;
        CHECK(penalised_loss(moved, x, labels, settings.penalty) > loss);
      }
    }
    for (Eigen::Index i = 0; i < model.offset.size() && classes == 2; ++i) {
      auto moved = model;
      moved.offset(i) += 1e-3;
      CHECK(penalised_loss(moved, x, labels, settings.penalty) > loss);
    }
  }
}

TEST_CASE("separable classes are told apart, and the penalty keeps the weights finite") {
  Table x = planted::gaussian(600, 4, "separable");
  std::vector<int32_t> labels(600);
  for (size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<int32_t>(i % 3);
    x.row(static_cast<Eigen::Index>(i)) *= 0.1;
    x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i % 3)) += 3;
  }
  const auto model = fit_logistic(x, labels, 3, {.penalty = 1e-2});
  CHECK(model.converged);
  CHECK(accuracy(model.predict(x), labels) == 1);
  CHECK(model.probabilities(x).rowwise().sum().isApproxToConstant(1, 1e-12));
}

TEST_CASE("a probe does not depend on threads") {
  const Table x = planted::gaussian(3000, 5, "threads");
  const auto labels = drawn_labels(x * planted::gaussian(5, 4, "logits"), "labels");
  const auto one = fit_logistic(x, labels, 4, {.threads = 1});
  const auto two = fit_logistic(x, labels, 4, {.threads = 2});
  CHECK(one.weights == two.weights);
  CHECK(one.loss == two.loss);
}

TEST_CASE("labels out of range, or too few, are refused") {
  const Table x = Table::Ones(2, 1);
  CHECK_THROWS_AS(static_cast<void>(fit_logistic(x, std::vector<int32_t>{0, 2}, 2, {})), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(fit_logistic(x, std::vector<int32_t>{0, -1}, 2, {})), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(fit_logistic(x, std::vector<int32_t>{0}, 2, {})), summand::UsageError);
}
