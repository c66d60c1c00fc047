#include "lab/statistics/linear_shift.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <vector>

#include "lab/statistics/principal_components.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kLeastShare = 1e-10;

/// The rows less their mean in their leading principal components. Exactly: where variances are nearly equal, an
/// iteration that has not settled depends on the order of the columns, of which no distance does.
Eigen::MatrixXd leading_scores(const Table& rows, size_t components) {
  const PrincipalComponents leading = principal_components(rows, components);
  const Vector& variances = leading.variances;
  Index kept = 0;
  while (kept < variances.size() && variances(kept) > kLeastShare * variances(0)) ++kept;
  return leading.scores.leftCols(kept);
}

double explained_by_shift(const Eigen::MatrixXd& scores, const std::vector<size_t>& at, size_t shift) {
  std::vector<Index> from;
  std::vector<Index> to;
  for (size_t i = 0, j = 0; i < at.size(); ++i) {
    while (j < at.size() && at[j] < at[i] + shift) ++j;
    if (j == at.size()) break;
    if (at[j] != at[i] + shift) continue;
    from.push_back(static_cast<Index>(i));
    to.push_back(static_cast<Index>(j));
  }
  const auto pairs = static_cast<Index>(from.size());
  if (pairs <= scores.cols() + 1) return 0;
  Eigen::MatrixXd basis(pairs, scores.cols() + 1);
  basis << scores(from, Eigen::all), Eigen::VectorXd::Ones(pairs);
  const Eigen::MatrixXd truth = scores(to, Eigen::all);
  const Eigen::MatrixXd map = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(basis).solve(truth);
  const double squares = (truth.rowwise() - truth.colwise().mean()).squaredNorm();
  return squares > 0 ? 1 - (basis * map - truth).squaredNorm() / squares : 0;
}

}  // namespace

std::vector<double> explained_by_linear_shifts(const PlacedRows& rows, std::span<const size_t> shifts,
                                               size_t components) {
  const Eigen::MatrixXd scores = leading_scores(rows.rows, components);
  std::vector<double> explained;
  for (const size_t shift : shifts) explained.push_back(explained_by_shift(scores, rows.at, shift));
  return explained;
}

}  // namespace summand::lab
