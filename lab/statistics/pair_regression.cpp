#include "lab/statistics/pair_regression.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <vector>

#include "lab/statistics/require.hpp"
#include "lab/statistics/singular_vectors.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// Of squares of singular values, beside the largest.
constexpr double kLeastSquare = 1e-10;

/// What the normal equations need of the pairs, by position.
struct Counts {
  Eigen::MatrixXd together;  ///< how often a stands first and b second
  Vector first;              ///< how often a position stands first
  Vector second;
  Vector target_of_first;  ///< sums of the targets, less their mean
  Vector target_of_second;
  double target_mean = 0;
};

Counts counted(Index positions, std::span<const Pair> pairs) {
  Counts counts{Eigen::MatrixXd::Zero(positions, positions),
                Vector::Zero(positions),
                Vector::Zero(positions),
                Vector::Zero(positions),
                Vector::Zero(positions),
                pair_distances(pairs).mean()};
  for (const Pair& pair : pairs) {
    const auto a = static_cast<Index>(pair.a);
    const auto b = static_cast<Index>(pair.b);
    const double target = static_cast<double>(b) - static_cast<double>(a) - counts.target_mean;
    counts.together(a, b) += 1;
    counts.first(a) += 1;
    counts.second(b) += 1;
    counts.target_of_first(a) += target;
    counts.target_of_second(b) += target;
  }
  return counts;
}

/// Rows of the table that occur in a pair.
Table seen_rows(const Table& table, const Counts& counts) {
  std::vector<Index> seen;
  for (Index row = 0; row < table.rows(); ++row) {
    if (counts.first(row) + counts.second(row) > 0) seen.push_back(row);
  }
  return table(seen, Eigen::all);
}

Vector solved(const Eigen::MatrixXd& gram, const Vector& right, double penalty) {
  if (penalty > 0) {
    return (gram + penalty * Eigen::MatrixXd::Identity(gram.rows(), gram.cols())).llt().solve(right);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  const double least = kLeastSquare * solver.eigenvalues().maxCoeff();
  Vector coordinates = solver.eigenvectors().transpose() * right;
  for (Index i = 0; i < coordinates.size(); ++i) {
    const double value = solver.eigenvalues()(i);
    coordinates(i) = value > least ? coordinates(i) / value : 0;
  }
  return solver.eigenvectors() * coordinates;
}

}  // namespace

PairModel fit_pair_regression(const Table& table, std::span<const Pair> pairs, double penalty) {
  const auto rows = static_cast<size_t>(table.rows());
  require(!pairs.empty() && penalty >= 0, "pair regression", "expected pairs and a penalty of 0 or more");
  require(std::ranges::all_of(pairs, [&](const Pair& pair) { return pair.a < rows && pair.b < rows; }),
          "pair regression", "expected positions of the table");
  const Counts counts = counted(table.rows(), pairs);
  // Weights lie in the span of the rows that were seen: in its coordinates there are no more columns than rows.
  const Table basis = singular_vectors(seen_rows(table, counts)).right;
  const Eigen::MatrixXd z = table * basis.transpose();
  const Index width = z.cols();
  const auto count = static_cast<double>(pairs.size());

  const Vector mean_first = z.transpose() * counts.first / count;
  const Vector mean_second = z.transpose() * counts.second / count;
  Eigen::MatrixXd gram(2 * width, 2 * width);
  gram.topLeftCorner(width, width) = z.transpose() * counts.first.asDiagonal() * z;
  gram.bottomRightCorner(width, width) = z.transpose() * counts.second.asDiagonal() * z;
  gram.topRightCorner(width, width) = z.transpose() * (counts.together * z);
  gram.bottomLeftCorner(width, width) = gram.topRightCorner(width, width).transpose();
  Vector means(2 * width);
  means << mean_first, mean_second;
  gram -= count * means * means.transpose();
  Vector right(2 * width);
  right << z.transpose() * counts.target_of_first, z.transpose() * counts.target_of_second;

  const Vector weights = solved(gram, right, penalty);
  return {basis.transpose() * weights.head(width), basis.transpose() * weights.tail(width),
          counts.target_mean - weights.dot(means)};
}

Vector PairModel::predict(const Table& table, std::span<const Pair> pairs) const {
  require(table.cols() == of_first.size(), "pair regression", "expected a table of the width that was fitted");
  const Vector first = table * of_first;
  const Vector second = table * of_second;
  Vector predicted(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    require(std::max(pairs[i].a, pairs[i].b) < static_cast<size_t>(table.rows()), "pair regression",
            "expected positions of the table");
    predicted(static_cast<Index>(i)) =
        first(static_cast<Index>(pairs[i].a)) + second(static_cast<Index>(pairs[i].b)) + offset;
  }
  return predicted;
}

}  // namespace summand::lab
