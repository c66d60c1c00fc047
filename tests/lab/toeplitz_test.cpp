#include "lab/statistics/toeplitz.hpp"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

/// Sums over a matrix of some hundred rows.
constexpr double kToeplitzRounding = 1e-9;

template <class Rule>
Table matrix(Eigen::Index rows, Rule rule) {
  return Table::NullaryExpr(
      rows, rows, [&](Eigen::Index i, Eigen::Index j) { return rule(static_cast<double>(i), static_cast<double>(j)); });
}

Table symmetric_noise(size_t rows, const char* name) {
  const Table noise = planted::gaussian(rows, rows, name);
  return noise + noise.transpose();
}

/// The share of the energy off the diagonal that indicator columns of these classes explain: the definition, at the
/// cost of a dense system. Classes: 1 distances, 2 sums, 3 both.
double dense_share(const Table& table, int classes) {
  const Eigen::Index n = table.rows();
  Eigen::MatrixXd design = Eigen::MatrixXd::Zero(n * (n - 1) / 2, 3 * n + 1);
  Vector values(design.rows());
  Eigen::Index row = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = i + 1; j < n; ++j, ++row) {
      design(row, 3 * n) = 1;
      if (classes & 1) design(row, j - i) = 1;
      if (classes & 2) design(row, n + i + j) = 1;
      values(row) = table(i, j);
    }
  }
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(design);
  const Vector around = values.array() - values.mean();
  return 1 - (values - design * solver.solve(values)).squaredNorm() / around.squaredNorm();
}

}  // namespace

TEST_CASE("shares agree with dense least squares on indicators") {
  for (const size_t rows : {4, 5, 11, 12}) {
    const Table table =
        symmetric_noise(rows, "dense") + matrix(static_cast<Eigen::Index>(rows), [](double i, double j) {
          return std::exp(-std::abs(i - j) / 3) + 0.2 * std::sin(i + j);
        });
    const auto shares = toeplitz_hankel(table);
    const double both = dense_share(table, 3);
    const double toeplitz = dense_share(table, 1);
    const double hankel = dense_share(table, 2);
    CHECK(shares.rest == doctest::Approx(1 - both).epsilon(kToeplitzRounding));
    CHECK(shares.toeplitz == doctest::Approx(both - hankel).epsilon(kToeplitzRounding));
    CHECK(shares.hankel == doctest::Approx(both - toeplitz).epsilon(kToeplitzRounding));
    CHECK(shares.shared == doctest::Approx(toeplitz + hankel - both).epsilon(kToeplitzRounding));
    CHECK(toeplitz_r2(table) == doctest::Approx(toeplitz).epsilon(kToeplitzRounding));
  }
}

TEST_CASE("a function of distance is all Toeplitz and a function of the sum all Hankel") {
  const Table distance = matrix(60, [](double i, double j) { return std::cos(0.3 * (i - j)); });
  CHECK(toeplitz_r2(distance) == doctest::Approx(1).epsilon(kToeplitzRounding));
  CHECK(toeplitz_r2(distance, Diagonal::counted) == doctest::Approx(1).epsilon(kToeplitzRounding));
  const auto of_distance = toeplitz_hankel(distance);
  CHECK(of_distance.toeplitz + of_distance.shared == doctest::Approx(1).epsilon(kToeplitzRounding));
  CHECK(of_distance.toeplitz > 0.9);
  const Table sum = matrix(60, [](double i, double j) { return std::cos(0.3 * (i + j)); });
  CHECK(toeplitz_hankel(sum).hankel > 0.9);
  CHECK(std::abs(toeplitz_hankel(sum).rest) < kToeplitzRounding);
}

TEST_CASE("the covariance of a random walk is exactly Toeplitz and Hankel together, and neither alone") {
  const Table walk = matrix(200, [](double i, double j) { return std::min(i, j) + 1; });
  const auto shares = toeplitz_hankel(walk);
  CHECK(std::abs(shares.rest) < kToeplitzRounding);
  CHECK(shares.toeplitz > 0.15);
  CHECK(shares.hankel > 0.15);
  CHECK(toeplitz_r2(walk) < 0.9);
}

TEST_CASE("white noise is Toeplitz by its diagonal alone") {
  // The ledger: .43 with the diagonal and .004 without, at 512 x 384: 384 / (384 + 512) of the energy is the
  // diagonal's.
  const Table noise = planted::gaussian(512, 384, "diagonal");
  const Table products = noise * noise.transpose();
  CHECK(toeplitz_r2(products, Diagonal::counted) == doctest::Approx(0.43).epsilon(0.02));
  CHECK(toeplitz_r2(products) == doctest::Approx(0.004).epsilon(0.3));
  const auto shares = toeplitz_hankel(products);
  CHECK(shares.toeplitz == doctest::Approx(0.004).epsilon(0.3));
  CHECK(shares.rest > 0.98);
}

TEST_CASE("a constant added to the matrix changes nothing") {
  const Table table = symmetric_noise(40, "constant");
  const Table moved = table.array() + 1e4;
  CHECK(toeplitz_r2(moved) == doctest::Approx(toeplitz_r2(table)).epsilon(1e-6));
  CHECK(toeplitz_hankel(moved).rest == doctest::Approx(toeplitz_hankel(table).rest).epsilon(1e-6));
}

TEST_CASE("matrices that cannot be split are refused") {
  CHECK_THROWS_AS(static_cast<void>(toeplitz_hankel(planted::gaussian(6, 6, "asymmetric"))), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(toeplitz_hankel(Table::Identity(6, 6))), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(toeplitz_r2(planted::gaussian(6, 5, "oblong"))), summand::UsageError);
}

TEST_CASE("the covariance of pure noise passes for diagonal-dominant") {
  // The ledger: 512 x 768 Gaussian: the diagonal is 28 times the mean other entry, yet ‖others‖ / ‖diagonal‖ is 1.22.
  const Table noise = planted::gaussian(512, 768, "covariance");
  const Table around = noise.rowwise() - noise.colwise().mean();
  const auto dominance = diagonal_dominance(around.transpose() * around);
  CHECK(dominance.ratio == doctest::Approx(28).epsilon(0.02));
  CHECK(dominance.off_norm == doctest::Approx(1.22).epsilon(0.02));
  Table known(2, 2);
  known << 3, 1, -1, -5;
  CHECK(diagonal_dominance(known).ratio == 4);
  CHECK(diagonal_dominance(known).off_norm == doctest::Approx(std::sqrt(2.0 / 34)));
}
