#include "lab/statistics/linear_shift.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr Index kSpare = 8;  // directions more than are asked for, which lets the iteration settle
constexpr int kIterations =
    4;  // of a spectrum that halves in 8 directions, errors of a percent, which a share of variance has squared
constexpr double kLeastShare = 1e-10;

/// The rows less their mean in about their leading principal components, by subspace iteration: all of them would take
/// many times as long.
/// Source: Halko, Martinsson & Tropp 2011, algorithm 4.4
Eigen::MatrixXd leading_scores(const Table& rows, size_t components) {
  const Eigen::MatrixXd around = centred(rows);
  const Index most = std::min(around.rows(), around.cols());
  const Index count = std::min(most, static_cast<Index>(components) + kSpare);
  RandomStream stream(0, "leading scores");
  Eigen::MatrixXd frame(around.cols(), count);
  for (double& value : frame.reshaped()) value = stream.normal();
  Eigen::MatrixXd scores;
  for (int i = 0; i < kIterations; ++i) {
    scores = Eigen::HouseholderQR<Eigen::MatrixXd>(around * frame).householderQ() *
             Eigen::MatrixXd::Identity(around.rows(), count);
    frame = around.transpose() * scores;
  }
  // Within that subspace, the directions of largest variance first.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(frame.transpose() * frame);
  const auto& squares = solver.eigenvalues();
  Index kept = 0;
  while (kept < std::min(count, static_cast<Index>(components)) &&
         squares(count - 1 - kept) > kLeastShare * squares(count - 1)) {
    ++kept;
  }
  return scores * (solver.eigenvectors().rightCols(kept) * squares.tail(kept).cwiseMax(0).cwiseSqrt().asDiagonal());
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
