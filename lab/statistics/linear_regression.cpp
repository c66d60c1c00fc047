#include "lab/statistics/linear_regression.hpp"

#include <Eigen/QR>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

constexpr double kAbsent = 1e-10;

/// Around the means nothing is left of the offset.
LinearModel around_means(const Table& inputs, const Table& targets, const Table& weights) {
  return {weights, column_means(targets) - weights.transpose() * column_means(inputs)};
}

void require_rows(const Table& inputs, const Table& targets) {
  require(inputs.rows() == targets.rows() && inputs.rows() > 0, "regression", "expected a target for every row");
}

}  // namespace

Table LinearModel::predict(const Table& inputs) const {
  require(inputs.cols() == weights.rows(), "regression", "expected inputs of the width that was fitted");
  return (inputs * weights).rowwise() + offset.transpose();
}

LinearModel fit_least_squares(const Table& inputs, const Table& targets) {
  require_rows(inputs, targets);
  Eigen::MatrixXd x = centred(inputs);
  Eigen::MatrixXd y = centred(targets);
  if (x.rows() > 2 * x.cols()) {
    // A tall table is first brought to its triangle, by blocked steps; pivoting it whole would be far slower.
    const Eigen::HouseholderQR<Eigen::MatrixXd> factors(x);
    y = (factors.householderQ().transpose() * y).topRows(x.cols()).eval();
    x = factors.matrixQR().topRows(x.cols()).triangularView<Eigen::Upper>();
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(kAbsent);
  solver.compute(x);
  return around_means(inputs, targets, solver.solve(y));
}

}  // namespace summand::lab
