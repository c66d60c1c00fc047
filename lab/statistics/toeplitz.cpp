#include "lab/statistics/toeplitz.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kAsymmetry = 1e-6;

void require_square(const Table& matrix, Index least) {
  require(matrix.rows() == matrix.cols() && matrix.rows() >= least, "Toeplitz share",
          fmt::format("expected a square matrix of {} rows or more, got {} x {}", least, matrix.rows(), matrix.cols()));
}

/// Sums of entries that fall into the same class, and the energy around the mean that the classes' means hold.
struct Classes {
  Vector sums;
  Vector counts;

  explicit Classes(Index count) : sums(Vector::Zero(count)), counts(Vector::Zero(count)) {}

  void add(Index at, double value) {
    sums(at) += value;
    counts(at) += 1;
  }
  [[nodiscard]] double energy() const {
    double energy = 0;
    for (Index i = 0; i < sums.size(); ++i) energy += counts(i) > 0 ? sums(i) * sums(i) / counts(i) : 0;
    return energy;
  }
};

/// The energy that distances and sums hold together. The normal equations are reduced to the distances; those of 1 and
/// 2 are set to 0, for a constant of all even (or all odd) distances is one of all even (odd) sums too.
double joint_energy(const Classes& distances, const Classes& sums, Index n) {
  const Index count = n - 1;
  Eigen::MatrixXd reduced = distances.counts.tail(count).asDiagonal();
  Vector right = distances.sums.tail(count);
  for (Index sum = 1; sum <= 2 * n - 3; ++sum) {
    // The distances that meet this sum: of its parity, up to what fits beside either end.
    const Index largest = std::min(sum, 2 * (n - 1) - sum);
    const double each = 1 / sums.counts(sum);
    for (Index a = 2 - sum % 2; a <= largest; a += 2) {
      right(a - 1) -= sums.sums(sum) * each;
      for (Index b = 2 - sum % 2; b <= a; b += 2) reduced(a - 1, b - 1) -= each;
    }
  }
  const Index free = count - 2;
  const Vector tail = right.tail(free);
  const Vector solution = reduced.bottomRightCorner(free, free).selfadjointView<Eigen::Lower>().ldlt().solve(tail);
  return sums.energy() + solution.dot(tail);
}

}  // namespace

double toeplitz_r2(const Table& matrix, Diagonal diagonal) {
  require_square(matrix, 3);
  const Index n = matrix.rows();
  // Around the mean of what counts, so that no digits are lost to it.
  const double whole = diagonal == Diagonal::counted ? matrix.sum() : matrix.sum() - matrix.trace();
  const auto entries = static_cast<double>(diagonal == Diagonal::counted ? n * n : n * (n - 1));
  Classes classes(2 * n - 1);
  double energy = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (i == j && diagonal == Diagonal::left_out) continue;
      const double value = matrix(i, j) - whole / entries;
      classes.add(j - i + n - 1, value);
      energy += value * value;
    }
  }
  require(energy > 0, "Toeplitz share", "expected entries that differ");
  return classes.energy() / energy;
}

ToeplitzHankel toeplitz_hankel(const Table& symmetric) {
  require_square(symmetric, 4);
  const Index n = symmetric.rows();
  require((symmetric - symmetric.transpose()).cwiseAbs().maxCoeff() <= kAsymmetry * symmetric.cwiseAbs().maxCoeff(),
          "Toeplitz and Hankel shares", "expected a symmetric matrix");
  const double mean = (symmetric.sum() - symmetric.trace()) / static_cast<double>(n * (n - 1));
  Classes distances(n);
  Classes sums(2 * n - 2);
  double energy = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j) {
      const double value = symmetric(i, j) - mean;
      distances.add(j - i, value);
      sums.add(i + j, value);
      energy += value * value;
    }
  }
  require(energy > 0, "Toeplitz and Hankel shares", "expected entries off the diagonal that differ");
  const double both = joint_energy(distances, sums, n) / energy;
  const double toeplitz = distances.energy() / energy;
  const double hankel = sums.energy() / energy;
  return {both - hankel, both - toeplitz, toeplitz + hankel - both, 1 - both};
}

DiagonalDominance diagonal_dominance(const Table& matrix) {
  require_square(matrix, 2);
  const auto n = static_cast<double>(matrix.rows());
  const Vector diagonal = matrix.diagonal();
  Table off = matrix;
  off.diagonal().setZero();
  require(off.squaredNorm() > 0 && diagonal.squaredNorm() > 0, "diagonal dominance",
          "expected a diagonal and other entries that are not all zero");
  return {diagonal.cwiseAbs().mean() / (off.cwiseAbs().sum() / (n * (n - 1))), off.norm() / diagonal.norm()};
}

}  // namespace summand::lab
