#include "lab/experiments/identical_words/attention_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/statistics/kendall.hpp"
#include "lab/statistics/toeplitz.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

/// Less their mean, the diagonal 0.
Table off_diagonal(const Table& matrix) {
  const auto others = static_cast<double>(matrix.rows() * (matrix.rows() - 1));
  Table off = matrix.array() - (matrix.sum() - matrix.trace()) / others;
  off.diagonal().setZero();
  return off;
}

Table without_diagonal(Table matrix) {
  matrix.diagonal().setZero();
  return matrix;
}

bool is_constant(const Table& off, const Table& matrix) {
  return off.cwiseAbs().maxCoeff() <= 1e-12 * std::max(matrix.cwiseAbs().maxCoeff(), 1e-300);
}

}  // namespace

double symmetry_share(const Table& matrix) {
  const Table off = off_diagonal(matrix);
  if (is_constant(off, matrix)) return 0;
  return (0.5 * (off + off.transpose())).squaredNorm() / off.squaredNorm();
}

double distance_share(const Table& matrix) {
  return is_constant(off_diagonal(matrix), matrix) ? 0 : toeplitz_r2(matrix);
}

double local_monotonicity(const Table& matrix, Index window) {
  double sum = 0;
  for (Index i = 0; i < matrix.rows(); ++i) {
    std::vector<double> nearness;
    std::vector<double> entries;
    for (Index j = std::max<Index>(0, i - window); j <= std::min(matrix.cols() - 1, i + window); ++j) {
      if (j == i) continue;
      nearness.push_back(-static_cast<double>(std::abs(i - j)));
      entries.push_back(matrix(i, j));
    }
    sum += kendall_tau(nearness, entries);
  }
  return sum / static_cast<double>(matrix.rows());
}

double direction_bias(const Table& matrix) {
  double sum = 0;
  for (Index i = 0; i < matrix.rows(); ++i) {
    sum += matrix.row(i).tail(matrix.cols() - i - 1).sum() - matrix.row(i).head(i).sum();
  }
  return sum / static_cast<double>(matrix.rows());
}

double published_locality(const Table& attention) {
  double sum = 0;
  for (Index i = 0; i < attention.rows(); ++i) {
    for (Index j = 0; j < attention.cols(); ++j) {
      sum += attention(i, j) * std::exp2(-static_cast<double>(std::abs(i - j)));
    }
  }
  return sum / static_cast<double>(attention.rows());
}

double published_symmetry(const Table& attention) {
  double sum = 0;
  double count = 0;
  for (Index i = 0; i < attention.rows(); ++i) {
    const Index reach = std::min(i, attention.cols() - 1 - i);
    if (reach == 0) continue;
    Vector differences(reach);
    for (Index k = 1; k <= reach; ++k) differences(k - 1) = std::abs(attention(i, i - k) - attention(i, i + k));
    const double low = differences.minCoeff();
    const double range = differences.maxCoeff() - low;
    if (range > 0) sum += (differences.array() - low).sum() / range;
    count += static_cast<double>(reach);
  }
  return count > 0 ? 1 - sum / count : 1;
}

Table falling_logits(Index length, double slope) {
  return Table::NullaryExpr(length, length,
                            [slope](Index i, Index j) { return -slope * static_cast<double>(std::abs(i - j)); });
}

double logit_distance_share(const Table& logits) {
  constexpr int kMostSteps = 200;
  const Index n = logits.rows();
  const auto others = static_cast<double>(n - 1);
  Vector by_row = (logits.rowwise().sum() - logits.diagonal()) / others;
  const Table around = without_diagonal(logits.colwise() - by_row);
  if (is_constant(around, logits)) return 0;
  Vector by_distance = Vector::Zero(2 * n - 1);
  for (int step = 0; step < kMostSteps; ++step) {
    by_distance.setZero();
    for (Index i = 0; i < n; ++i)
      by_distance.segment(n - 1 - i, n) += logits.row(i).transpose() - Vector::Constant(n, by_row(i));
    for (Index d = 0; d < by_distance.size(); ++d) by_distance(d) /= static_cast<double>(n - std::abs(d - n + 1));
    Vector next(n);
    for (Index i = 0; i < n; ++i) {
      const Vector rest = logits.row(i).transpose() - by_distance.segment(n - 1 - i, n);
      next(i) = (rest.sum() - rest(i)) / others;
    }
    const double moved = (next - by_row).cwiseAbs().maxCoeff();
    by_row = next;
    if (moved < 1e-12 * around.cwiseAbs().maxCoeff()) break;
  }
  Table rest = logits.colwise() - by_row;
  for (Index i = 0; i < n; ++i) rest.row(i) -= by_distance.segment(n - 1 - i, n).transpose();
  return 1 - without_diagonal(rest).squaredNorm() / around.squaredNorm();
}

double logit_symmetry_share(const Table& logits) {
  const Table by_row = logits.colwise() - logits.rowwise().mean();
  return symmetry_share(by_row.rowwise() - by_row.colwise().mean());
}

}  // namespace summand::lab
