#include "lab/statistics/singular_vectors.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

/// Of squares of singular values, beside the largest.
constexpr double kLeastSquaredValue = 1e-12;

Eigen::MatrixXd smaller_gram(const Table& table) {
  require(table.size() > 0 && table.allFinite(), "singular vectors", "expected a table of finite numbers");
  Eigen::MatrixXd gram;
  if (table.rows() <= table.cols()) {
    gram.setZero(table.rows(), table.rows());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(table);
  } else {
    gram.setZero(table.cols(), table.cols());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(table.transpose());
  }
  return gram;
}

/// +1 or −1 that makes the entry of largest size positive.
double sign_of(const Eigen::Ref<const Eigen::RowVectorXd>& row) {
  Eigen::Index at = 0;
  row.cwiseAbs().maxCoeff(&at);
  return row(at) < 0 ? -1 : 1;
}

}  // namespace

Table orthonormal_rows(const Table& rows) {
  Eigen::HouseholderQR<Eigen::MatrixXd> factors(rows.transpose());
  const Eigen::Index count = rows.rows();
  Eigen::MatrixXd q = factors.householderQ() * Eigen::MatrixXd::Identity(rows.cols(), count);
  // The factor's diagonal may be negative; made positive, the basis follows the rows.
  for (Eigen::Index i = 0; i < count; ++i) {
    if (factors.matrixQR()(i, i) < 0) q.col(i) = -q.col(i);
  }
  return q.transpose();
}

Vector squared_singular_values(const Table& table) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(smaller_gram(table), Eigen::EigenvaluesOnly);
  return solver.eigenvalues().reverse().cwiseMax(0);
}

SingularVectors singular_vectors(const Table& table, size_t at_most) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(smaller_gram(table));
  const Vector squares = solver.eigenvalues().reverse();
  require(squares(0) > 0, "singular vectors", "expected a table that is not zero");
  const auto whole = (squares.array() > kLeastSquaredValue * squares(0)).count();
  const auto rank = static_cast<Eigen::Index>(std::min(static_cast<size_t>(whole), at_most));
  const Eigen::MatrixXd vectors = solver.eigenvectors().rowwise().reverse().leftCols(rank);

  SingularVectors result;
  result.values = squares.head(rank).cwiseSqrt();
  const Vector inverse = result.values.cwiseInverse();
  // The other side's vectors inherit the rounding of small values; one orthonormalisation removes it.
  if (table.rows() <= table.cols()) {
    result.left = vectors;
    result.right = orthonormal_rows(inverse.asDiagonal() * (vectors.transpose() * table));
  } else {
    result.right = vectors.transpose();
    result.left = orthonormal_rows((table * vectors * inverse.asDiagonal()).transpose()).transpose();
  }
  for (Eigen::Index i = 0; i < rank; ++i) {
    const double sign = sign_of(result.right.row(i));
    result.right.row(i) *= sign;
    result.left.col(i) *= sign;
  }
  return result;
}

}  // namespace summand::lab
