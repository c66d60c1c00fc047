#include "lab/statistics/lag_kernel.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/statistics/require.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr Index kRowsAtOnce = 256;  // of the products, which are never all there

/// How many pairs of kept positions are k apart.
Vector pairs_by_lag(const PlacedRows& of) {
  Table kept = Table::Zero(static_cast<Index>(of.span()), 1);
  for (const size_t position : of.at) kept(static_cast<Index>(position - of.at.front()), 0) = 1;
  return lag_sums(kept);
}

struct Root {
  Eigen::MatrixXd root;
  double sum = 0;    // of the eigenvalues above 0
  double sizes = 0;  // of all
};

Root root_of(const Eigen::MatrixXd& covariance) {
  if (covariance.rows() == 0) return {};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  const Vector values = eigen.eigenvalues().cwiseMax(0);
  return {.root = eigen.eigenvectors() * values.cwiseSqrt().asDiagonal(),
          .sum = values.sum(),
          .sizes = eigen.eigenvalues().cwiseAbs().sum()};
}

}  // namespace

Vector lag_sums(const Table& rows) {
  const Index n = rows.rows();
  Vector sums = Vector::Zero(n);
  for (Index first = 0; first < n; first += kRowsAtOnce) {
    const Index count = std::min(kRowsAtOnce, n - first);
    const Table products = rows.middleRows(first, count) * rows.bottomRows(n - first).transpose();
    for (Index i = 0; i < count; ++i) {
      const Index lags = n - first - i;
      sums.head(lags) += products.row(i).tail(lags).transpose();
    }
  }
  return sums;
}

Vector lag_kernel(const PlacedRows& of) {
  require(!of.at.empty(), "lag kernel", "expected a row or more");
  const Vector pairs = pairs_by_lag(of);
  return (pairs.array() > 0.5).select(lag_sums(centred_in_place(of)).array() / pairs.array().max(1), 0);
}

// A Toeplitz matrix commutes with reading backwards: in sums and differences of entries i and n − 1 − i it falls into
// two blocks of half its size, which costs a quarter.
StationaryProcess::StationaryProcess(const Vector& kernel) {
  require(kernel.size() > 0 && kernel(0) > 0, "stationary process", "expected a kernel whose first entry is above 0");
  const Index n = kernel.size();
  const Index half = n / 2;
  const Index upper = n - half;  // the middle row, if there is one, is the same read backwards
  const auto sign = [&](double backwards) {
    return [&, backwards](Index i, Index j) {
      const double value = kernel(std::abs(i - j)) + backwards * kernel(n - 1 - i - j);
      const bool middle_row = i == half;
      const bool middle_column = j == half;
      if (middle_row && middle_column) return kernel(0);
      return middle_row || middle_column ? value / std::numbers::sqrt2 : value;
    };
  };
  const Root even = root_of(Eigen::MatrixXd::NullaryExpr(upper, upper, sign(1)));
  const Root odd = root_of(Eigen::MatrixXd::NullaryExpr(half, half, sign(-1)));
  const double kept = even.sum + odd.sum;
  const double sizes = even.sizes + odd.sizes;
  const double scale = std::sqrt(static_cast<double>(n) * kernel(0) / kept);
  symmetric_ = scale * even.root;
  antisymmetric_ = scale * odd.root;
  clipped_ = (sizes - kept) / sizes;
}

Table StationaryProcess::draw(size_t columns, RandomStream& stream) const {
  const auto count = [](const Eigen::MatrixXd& root) { return static_cast<size_t>(root.rows()); };
  const Table sums = symmetric_ * white_noise({count(symmetric_), columns}, stream);
  const Table differences = antisymmetric_ * white_noise({count(antisymmetric_), columns}, stream);
  const Index half = differences.rows();
  Table table(sums.rows() + half, sums.cols());
  table.topRows(half) = (sums.topRows(half) + differences) / std::numbers::sqrt2;
  table.bottomRows(half) = ((sums.topRows(half) - differences) / std::numbers::sqrt2).colwise().reverse();
  if (sums.rows() > half) table.row(half) = sums.row(half);
  return table / std::sqrt(static_cast<double>(columns));
}

}  // namespace summand::lab
