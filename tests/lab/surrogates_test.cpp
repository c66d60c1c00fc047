#include "lab/statistics/surrogates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/neighbours.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/spectrum.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

constexpr double kSurrogatesRounding = 1e-10;

double largest_table_difference(const Table& a, const Table& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

Table spectra(const Table& table) {
  Table result(table.rows() / 2 + 1, table.cols());
  for (Eigen::Index column = 0; column < table.cols(); ++column) {
    const Vector curve = table.col(column);
    result.col(column) = amplitude_spectrum(elements(curve));
  }
  return result;
}

/// Mean product of entries this many rows apart, of columns of variance 1.
double lag_product(const Table& table, Eigen::Index lag) {
  const Eigen::Index rows = table.rows() - lag;
  return table.topRows(rows).cwiseProduct(table.bottomRows(rows)).mean();
}

}  // namespace

TEST_CASE("a stream makes one table and another stream another") {
  CHECK(planted::gaussian(5, 4, "a") == planted::gaussian(5, 4, "a"));
  CHECK(planted::gaussian(5, 4, "a") != planted::gaussian(5, 4, "b"));
}

TEST_CASE("the steps of a random walk are white noise") {
  const Table walk = planted::walk(400, 50, "steps");
  const Table steps = walk.bottomRows(399) - walk.topRows(399);
  // 20,000 numbers: five standard errors of mean, variance and lag product.
  CHECK(std::abs(mean(elements(steps))) < 5 / std::sqrt(19950));
  CHECK(std::abs(steps.squaredNorm() / 19950 - 1) < 5 * std::sqrt(2 / 19950.0));
  CHECK(std::abs(lag_product(steps, 1)) < 5 / std::sqrt(19900));
  CHECK(std::abs(walk.row(399).squaredNorm() / 50 / 400 - 1) < 5 * std::sqrt(2 / 50.0));
}

TEST_CASE("a Gaussian process has the covariance of its length") {
  const Table table = planted::smooth(300, 2000, "covariance");
  for (const Eigen::Index lag : {0, 6, 12, 24, 60}) {
    const double expected = std::exp(-static_cast<double>(lag * lag) / 288);
    // 2000 columns of about ten independent stretches each.
    CHECK(std::abs(lag_product(table, lag) - expected) < 5 / std::sqrt(20000));
  }
}

TEST_CASE("a Gaussian process of length 12 has about 24 components above one percent, the first with 6.8 %") {
  const Vector shares = variance_shares(planted::smooth(512, 768, "spectrum"));
  CHECK(std::abs(static_cast<double>(components_above(shares)) - 24) <= 1);
  CHECK(shares(0) == doctest::Approx(0.068).epsilon(0.1));
}

TEST_CASE("random phases keep every column's spectrum and mean") {
  for (const size_t rows : {64, 65}) {
    const Table table = planted::walk(rows, 6, "phases");
    for (const auto phases : {Phases::common, Phases::independent}) {
      summand::RandomStream stream(1, "phases");
      const Table copy = phase_randomised(table, phases, stream);
      CHECK(largest_table_difference(spectra(copy), spectra(table)) < kSurrogatesRounding);
      CHECK((column_means(copy) - column_means(table)).cwiseAbs().maxCoeff() < kSurrogatesRounding);
      CHECK(largest_table_difference(copy, table) > 1);
    }
  }
}

TEST_CASE("common phases keep the covariance of columns and independent ones do not") {
  const Table table = planted::walk(65, 6, "covariance of columns");
  const Table covariance = centred(table).transpose() * centred(table);
  summand::RandomStream stream(1, "phases");
  const Table common = centred(phase_randomised(table, Phases::common, stream));
  const Table independent = centred(phase_randomised(table, Phases::independent, stream));
  CHECK(largest_table_difference(common.transpose() * common, covariance) < 1e-9 * covariance.norm());
  CHECK(largest_table_difference(independent.transpose() * independent, covariance) > 0.05 * covariance.norm());
}

TEST_CASE("a warp of strength 0 changes nothing, and any warp walks the same path at another pace") {
  // A table on which position can be read: one straight column.
  Table line(101, 1);
  for (Eigen::Index i = 0; i < 101; ++i) line(i, 0) = static_cast<double>(i);
  summand::RandomStream stream(1, "warp");
  CHECK(largest_table_difference(time_warped(line, 0, stream), line) < kSurrogatesRounding);
  const Table warped = time_warped(line, 0.5, stream);
  CHECK(warped(0, 0) == doctest::Approx(0));
  CHECK(warped(100, 0) == doctest::Approx(100));
  const Vector pace = (warped.bottomRows(100) - warped.topRows(100)).array().log();
  CHECK(standard_deviation(elements(pace)) == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(largest_table_difference(warped, line) > 2);
  // The pace is smooth: neighbours differ by little of its deviation.
  CHECK((pace.tail(99) - pace.head(99)).cwiseAbs().maxCoeff() < 0.3);
}

TEST_CASE("a warped sinusoid is no longer a function of distance") {
  const Table table = sinusoid({256, 64});
  summand::RandomStream stream(1, "warp");
  const Table warped = time_warped(table, 0.5, stream);
  CHECK(toeplitz_r2(table * table.transpose()) > 1 - 1e-9);
  CHECK(toeplitz_r2(warped * warped.transpose()) < 0.97);
}

TEST_CASE("the sinusoidal table follows its formula, with the base asked for") {
  const Table table = sinusoid({20, 6}, 1000);
  for (Eigen::Index position : {0, 1, 7, 19}) {
    for (Eigen::Index i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(position) / std::pow(1000, 2.0 * static_cast<double>(i) / 6);
      CHECK(table(position, 2 * i) == doctest::Approx(std::sin(angle)).epsilon(1e-12));
      CHECK(table(position, 2 * i + 1) == doctest::Approx(std::cos(angle)).epsilon(1e-12));
    }
  }
  CHECK_THROWS_AS(static_cast<void>(sinusoid({4, 3})), summand::ConfigError);
}

TEST_CASE("the sinusoid's products are those of the ledger") {
  // ⟨p_0, p_k⟩ / 384 at width 768: .973, .723, .486, .246 at base 10000; .316 and .034 at base 1000.
  const Table slow = sinusoid({512, 768});
  for (const auto& [lag, product] : {std::pair{1, 0.973}, {8, 0.723}, {64, 0.486}, {511, 0.246}}) {
    CHECK(slow.row(0).dot(slow.row(lag)) / 384 == doctest::Approx(product).epsilon(2e-3));
  }
  const Table fast = sinusoid({512, 768}, 1000);
  CHECK(fast.row(0).dot(fast.row(64)) / 384 == doctest::Approx(0.316).epsilon(2e-3));
  CHECK(fast.row(0).dot(fast.row(511)) / 384 == doctest::Approx(0.034).epsilon(2e-2));
}

TEST_CASE("the sinusoid's products do not fall at every step") {
  // The ledger: the first step up is at 44 (25 at width 384, 69 at base 1000), the least product .244.
  const auto products = [](size_t width, double base) {
    const Table table = sinusoid({512, width}, base);
    return Vector(table * table.row(0).transpose() / (static_cast<double>(width) / 2));
  };
  const auto first_rise = [](const Vector& of) {
    Eigen::Index lag = 1;
    while (of(lag) < of(lag - 1)) ++lag;
    return lag;
  };
  CHECK(first_rise(products(768, 1e4)) == 44);
  CHECK(first_rise(products(384, 1e4)) == 25);
  CHECK(first_rise(products(768, 1e3)) == 69);
  CHECK(products(768, 1e4).minCoeff() == doctest::Approx(0.244).epsilon(3e-3));
}

TEST_CASE("shuffling keeps the rows and rotating keeps the distances") {
  const Table table = planted::walk(50, 8, "kept");
  summand::RandomStream stream(1, "kept");
  const Table shuffled = row_shuffled(table, stream);
  const auto first_column = [](const Table& of) {
    const Vector column = of.col(0);
    return std::set<double>(column.begin(), column.end());
  };
  CHECK(first_column(shuffled) == first_column(table));
  CHECK(shuffled != table);
  CHECK(variance_shares(shuffled).isApprox(variance_shares(table), 1e-9));
  const Table turned = rotated(table, stream);
  CHECK(largest_table_difference(squared_distances(turned), squared_distances(table)) < 1e-9);
  CHECK(largest_table_difference(turned, table) > 1);
}
