#include "lab/statistics/lag_kernel.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/random_stream.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

constexpr double kLagKernelRounding = 1e-9;

/// The mean products by their definition.
double mean_product(const PlacedRows& of, size_t lag) {
  const Eigen::RowVectorXd mean = of.rows.colwise().mean();
  double sum = 0;
  double pairs = 0;
  for (size_t i = 0; i < of.at.size(); ++i) {
    for (size_t j = i; j < of.at.size(); ++j) {
      if (of.at[j] - of.at[i] != lag) continue;
      sum += (of.rows.row(static_cast<Eigen::Index>(i)) - mean).dot(of.rows.row(static_cast<Eigen::Index>(j)) - mean);
      ++pairs;
    }
  }
  return pairs > 0 ? sum / pairs : 0;
}

}  // namespace

TEST_CASE("the lag kernel is the mean product of rows so far apart, gaps or not") {
  const Table table = planted::walk(40, 5, "kernel");
  for (const std::vector<size_t>& out : {std::vector<size_t>{}, {0, 11, 12, 30}}) {
    const auto rows = placed_rows(table, out);
    const Vector kernel = lag_kernel(rows);
    REQUIRE(kernel.size() == static_cast<Eigen::Index>(rows.span()));
    for (const size_t lag : {0, 1, 2, 7, 35}) {
      CHECK(kernel(static_cast<Eigen::Index>(lag)) ==
            doctest::Approx(mean_product(rows, lag)).epsilon(kLagKernelRounding));
    }
  }
  // More rows than are multiplied at once.
  const Table longer = planted::walk(600, 3, "long kernel");
  const Vector sums = lag_sums(longer);
  for (const Eigen::Index lag : {0, 1, 300, 599}) {
    const double expected = longer.topRows(600 - lag).cwiseProduct(longer.bottomRows(600 - lag)).sum();
    CHECK(sums(lag) == doctest::Approx(expected).epsilon(kLagKernelRounding));
  }
}

TEST_CASE("a stationary process has the kernel that it is made from") {
  for (const Eigen::Index rows : {64, 65}) {
    // Two waves: exact, of rank 4. In 40,000 columns a mean product of unit variance is known to .005 · √2.
    const Vector kernel = Vector::NullaryExpr(rows, [](Eigen::Index lag) {
      return 0.7 * std::cos(0.9 * static_cast<double>(lag)) + 0.3 * std::cos(0.2 * static_cast<double>(lag));
    });
    const StationaryProcess process(kernel);
    CHECK(process.clipped() < 1e-9);
    summand::RandomStream stream(3, "process");
    const Table table = process.draw(40000, stream);
    REQUIRE(table.rows() == rows);
    for (const Eigen::Index first : {Eigen::Index{0}, rows / 2, rows - 1}) {
      for (Eigen::Index other = 0; other < rows; other += 7) {
        CHECK(std::abs(table.row(first).dot(table.row(other)) - kernel(std::abs(first - other))) < 0.04);
      }
    }
  }
}

TEST_CASE("a kernel that no stationary process has is clipped, and the variance stays") {
  Vector kernel = Vector::Zero(30);
  kernel(0) = 1;
  kernel(1) = 0.8;  // 1 + 1.6 cos θ falls below 0
  const StationaryProcess process(kernel);
  CHECK(process.clipped() > 0.05);
  summand::RandomStream stream(3, "clipped");
  CHECK(process.draw(20000, stream).squaredNorm() / 30 == doctest::Approx(1).epsilon(0.02));
  CHECK_THROWS_AS(StationaryProcess(Vector::Zero(4)), summand::UsageError);
}
