#include "lab/statistics/subspaces.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "lab/statistics/require.hpp"
#include "lab/statistics/singular_vectors.hpp"

namespace summand::lab {

namespace {

void require_one_space(const Table& a, const Table& b) {
  require(a.cols() == b.cols() && a.rows() > 0 && b.rows() > 0, "subspaces",
          fmt::format("expected bases in one space, got widths {} and {}", a.cols(), b.cols()));
}

}  // namespace

Table leading_subspace(const Table& table, size_t dimensions) {
  Table basis = singular_vectors(table, dimensions).right;
  require(static_cast<size_t>(basis.rows()) == dimensions, "leading subspace",
          fmt::format("expected a table of rank {} or more, got {}", dimensions, basis.rows()));
  return basis;
}

Vector principal_angles(const Table& basis_a, const Table& basis_b) {
  require_one_space(basis_a, basis_b);
  const Table& small = basis_a.rows() <= basis_b.rows() ? basis_a : basis_b;
  const Table& large = basis_a.rows() <= basis_b.rows() ? basis_b : basis_a;
  const Eigen::MatrixXd cosine_matrix = large * small.transpose();
  const Vector cosines = Eigen::JacobiSVD<Eigen::MatrixXd>(cosine_matrix).singularValues();
  // Where a cosine is near 1 its angle is read from the sine: what of the small basis lies outside the large one.
  const Eigen::MatrixXd outside = small.transpose() - large.transpose() * cosine_matrix;
  const Vector sines = Eigen::JacobiSVD<Eigen::MatrixXd>(outside).singularValues().reverse();
  Vector angles(small.rows());
  for (Eigen::Index i = 0; i < angles.size(); ++i) {
    const bool near = cosines(i) * cosines(i) > 0.5;
    angles(i) = near ? std::asin(std::min(1.0, sines(i))) : std::acos(std::min(1.0, cosines(i)));
  }
  return angles;
}

double energy_overlap(const Table& basis_a, const Table& basis_b) {
  require_one_space(basis_a, basis_b);
  return (basis_a * basis_b.transpose()).squaredNorm() / static_cast<double>(basis_a.rows());
}

double share_inside(const Vector& vector, const Table& basis) {
  return share_inside(Table(vector.transpose()), basis);
}

double share_inside(const Table& rows, const Table& basis) {
  require_one_space(rows, basis);
  const double whole = rows.squaredNorm();
  require(whole > 0, "share inside a subspace", "expected a vector that is not zero");
  return (rows * basis.transpose()).squaredNorm() / whole;
}

Table random_frame(size_t dimensions, size_t columns, RandomStream& stream) {
  require(dimensions <= columns, "random frame",
          fmt::format("expected at most {} dimensions, got {}", columns, dimensions));
  Table rows(dimensions, columns);
  for (double& value : rows.reshaped<Eigen::RowMajor>()) value = stream.normal();
  return orthonormal_rows(rows);
}

double hoyer_sparsity(std::span<const double> values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += std::abs(value);
    squares += value * value;
  }
  require(values.size() >= 2 && squares > 0, "Hoyer sparsity", "expected two entries or more, not all zero");
  const double root = std::sqrt(static_cast<double>(values.size()));
  return (root - sum / std::sqrt(squares)) / (root - 1);
}

}  // namespace summand::lab
