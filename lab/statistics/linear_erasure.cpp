#include "lab/statistics/linear_erasure.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kConstant = 1e-9;  // of the largest variance: no direction of the rows
constexpr double kSame = 1e-9;      // of the largest singular value: no difference of classes

/// Of classes against rows: the sum over each class's rows of what they are less the mean, over all rows.
MatrixXd cross_covariance(const Table& from_mean, std::span<const int32_t> labels, size_t classes) {
  MatrixXd sums = MatrixXd::Zero(from_mean.cols(), static_cast<Index>(classes));
  for (size_t row = 0; row < labels.size(); ++row) {
    sums.col(labels[row]) += from_mean.row(static_cast<Index>(row)).transpose();
  }
  return sums / static_cast<double>(labels.size());
}

}  // namespace

LinearErasure::LinearErasure(const Table& inputs, std::span<const int32_t> labels, size_t classes) {
  require(inputs.rows() > 0 && static_cast<size_t>(inputs.rows()) == labels.size(), "linear erasure",
          "expected rows, and a label for each");
  require(
      std::ranges::all_of(labels, [&](int32_t label) { return label >= 0 && static_cast<size_t>(label) < classes; }),
      "linear erasure", "a label is out of range");
  mean_ = column_means(inputs);
  const Table from_mean = inputs.rowwise() - mean_.transpose();
  MatrixXd covariance = MatrixXd::Zero(inputs.cols(), inputs.cols());
  covariance.selfadjointView<Eigen::Lower>().rankUpdate(from_mean.transpose(), 1 / static_cast<double>(inputs.rows()));
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solved(covariance);
  const Eigen::ArrayXd variances = solved.eigenvalues().array();
  const double least = kConstant * variances.maxCoeff();
  const Vector deviations = (variances > least).select(variances.max(0).sqrt(), 0);
  const Vector inverse = (variances > least).select(1 / variances.max(least).sqrt(), 0);
  // In whitened coordinates the projection is orthogonal.
  const MatrixXd differences =
      inverse.asDiagonal() * solved.eigenvectors().transpose() * cross_covariance(from_mean, labels, classes);
  const Eigen::BDCSVD<MatrixXd> svd(differences, Eigen::ComputeThinU);
  const Vector& sizes = svd.singularValues();
  Index kept = 0;
  while (kept < sizes.size() && sizes(kept) > kSame * std::max(1.0, sizes(0))) ++kept;
  const MatrixXd basis = svd.matrixU().leftCols(kept);
  read_ = basis.transpose() * inverse.asDiagonal() * solved.eigenvectors().transpose();
  taken_ = solved.eigenvectors() * deviations.asDiagonal() * basis;
}

Table LinearErasure::erased(const Table& rows) const {
  const Table read = (rows.rowwise() - mean_.transpose()) * read_.transpose();
  return rows - read * taken_.transpose();
}

}  // namespace summand::lab
