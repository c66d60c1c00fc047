#include "lab/statistics/moments.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "lab/statistics/kolmogorov_smirnov.hpp"
#include "lab/statistics/normal_law.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

/// Sums of a few doubles near 1.
constexpr double kMomentsRounding = 1e-12;

/// ∫ x^power · density over the law's bounds, by Simpson's rule with 2000 steps: exact to 1e-12 for so smooth a
/// density.
double moment_by_quadrature(const TruncatedNormal& law, int power) {
  constexpr int kSteps = 2000;
  const double bound = law.bound * law.sigma;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = (2.0 * i / kSteps - 1) * bound * (1 - 1e-15);
    const double weight = i == 0 || i == kSteps ? 1 : (i % 2 == 1 ? 4 : 2);
    sum += weight * std::pow(x, power) * law.density(x);
  }
  return sum * 2 * bound / kSteps / 3;
}

}  // namespace

TEST_CASE("moments of small samples are those worked out by hand") {
  const std::vector<double> values{-2, 0, 0, 2, 5};  // around 1: −3, −1, −1, 1, 4
  CHECK(mean(values) == doctest::Approx(1).epsilon(kMomentsRounding));
  CHECK(standard_deviation(values) == doctest::Approx(std::sqrt(28.0 / 5)).epsilon(kMomentsRounding));
  CHECK(kurtosis(values) == doctest::Approx((81.0 + 1 + 1 + 1 + 256) * 5 / (28.0 * 28)).epsilon(kMomentsRounding));
  CHECK(tail_fraction(values, 1.9) == doctest::Approx(0.6));
  CHECK(tail_fraction(values, 2) == doctest::Approx(0.2));
}

TEST_CASE("quantiles are linear between order statistics") {
  const std::vector<double> values{10, 0, 5, 1};  // sorted 0 1 5 10
  CHECK(quantile(values, 0) == 0);
  CHECK(quantile(values, 1) == 10);
  CHECK(median(values) == 3);
  CHECK(quantile(values, 0.75) == doctest::Approx(6.25).epsilon(kMomentsRounding));
  CHECK(quantile(std::vector<double>{7}, 0.3) == 7);
}

TEST_CASE("centring takes every column's own mean") {
  Table table(3, 2);
  table << 1, 10, 2, 20, 6, 60;
  Table expected(3, 2);
  expected << -2, -20, -1, -10, 3, 30;
  CHECK((centred(table) - expected).cwiseAbs().maxCoeff() < kMomentsRounding);
  CHECK(column_means(table) == Vector{{3, 30}});
  CHECK(column_deviations(table)(1) == doctest::Approx(std::sqrt(1400.0 / 3)).epsilon(kMomentsRounding));
}

TEST_CASE("moments of nothing, and the kurtosis of a constant, are refused") {
  const std::vector<double> none;
  CHECK_THROWS_AS(static_cast<void>(mean(none)), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(quantile(none, 0.5)), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(kurtosis(std::vector<double>{3, 3, 3})), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(quantile(std::vector<double>{3}, 1.5)), summand::UsageError);
}

TEST_CASE("the normal law has its known values") {
  // Source: Abramowitz & Stegun, table 26.1
  CHECK(normal_cdf(0) == 0.5);
  CHECK(normal_cdf(1) == doctest::Approx(0.8413447461).epsilon(1e-10));
  CHECK(normal_cdf(-2) == doctest::Approx(0.0227501319).epsilon(1e-9));
  CHECK(normal_density(1) == doctest::Approx(0.2419707245).epsilon(1e-10));
}

TEST_CASE("BERT's initial law has deviation 0.01759 and kurtosis 2.37") {
  const TruncatedNormal law;
  CHECK(law.standard_deviation() / 0.02 == doctest::Approx(0.8796).epsilon(5e-5));
  CHECK(law.standard_deviation() == doctest::Approx(0.01759).epsilon(5e-4));
  CHECK(law.kurtosis() == doctest::Approx(2.37).epsilon(3e-3));
  CHECK(std::sqrt(768) * law.standard_deviation() == doctest::Approx(0.4875).epsilon(2e-4));
  CHECK(law.density(0) == doctest::Approx(20.9).epsilon(1e-3));
  CHECK(law.cdf(-0.05) == 0);
  CHECK(law.cdf(0.05) == 1);
}

TEST_CASE("a truncated normal law agrees with integrals of its density") {
  for (const double bound : {0.5, 1.0, 2.0, 3.0}) {
    const TruncatedNormal law{.sigma = 1.5, .bound = bound};
    constexpr double kQuadrature = 1e-9;
    const double second = moment_by_quadrature(law, 2);
    CHECK(moment_by_quadrature(law, 0) == doctest::Approx(1).epsilon(kQuadrature));
    CHECK(law.standard_deviation() == doctest::Approx(std::sqrt(second)).epsilon(kQuadrature));
    CHECK(law.kurtosis() == doctest::Approx(moment_by_quadrature(law, 4) / (second * second)).epsilon(kQuadrature));
    // The distribution function is the density's integral: its slope by a central difference.
    const double slope = (law.cdf(0.3 + 1e-5) - law.cdf(0.3 - 1e-5)) / 2e-5;
    CHECK(slope == doctest::Approx(law.density(0.3)).epsilon(1e-7));
  }
}

TEST_CASE("the distance of a sample from a law is read at its steps") {
  // Steps at .1, .2, .9 of thirds against the uniform law: the largest gap is 2/3 − .2.
  const auto uniform = [](double x) { return x; };
  CHECK(kolmogorov_smirnov(std::vector<double>{0.9, 0.1, 0.2}, uniform).statistic == doctest::Approx(2.0 / 3 - 0.2));
  CHECK(kolmogorov_smirnov(std::vector<double>{0.9}, uniform).statistic == doctest::Approx(0.9));
}

TEST_CASE("a sample of the law passes and one of a law a little wider does not") {
  const Table sample = planted::gaussian(100, 100, "Kolmogorov-Smirnov");
  CHECK(kolmogorov_smirnov(elements(sample), normal_cdf).p > 0.01);
  CHECK(kolmogorov_smirnov(elements(sample), [](double x) { return normal_cdf(x / 1.1); }).p < 1e-6);
}

TEST_CASE("p of the distance is uniform under the law") {
  // 400 samples of 500: one in ten lies below .1, with a standard error of .015; four of them are allowed.
  size_t below = 0;
  for (int i = 0; i < 400; ++i) {
    const Table sample = planted::gaussian(500, 1, "uniform p " + std::to_string(i));
    below += kolmogorov_smirnov(elements(sample), normal_cdf).p < 0.1;
  }
  CHECK(std::abs(static_cast<double>(below) / 400 - 0.1) < 0.06);
}
