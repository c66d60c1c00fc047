#include "lab/statistics/pair_distances.hpp"

#include <Eigen/Eigenvalues>
#include <utility>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// Of the largest eigenvalue: what lies below it is a constant that distances and sums share.
constexpr double kShared = 1e-10;

PairTable pairs_of(const Table& products, const std::vector<size_t>& at) {
  const Vector own = products.diagonal();
  Table values = -2 * products;
  values.colwise() += own;
  values.rowwise() += own.transpose();
  values.diagonal().setZero();
  return {.values = std::move(values), .at = at};
}

size_t span_of(const std::vector<size_t>& at) {
  return at.empty() ? 0 : at.back() - at.front() + 1;
}

/// Rows whose position has one k further, and which row that is.
std::vector<std::pair<Index, Index>> shifted_rows(const std::vector<size_t>& at, size_t shift) {
  std::vector<Index> row_at(span_of(at), -1);
  for (size_t i = 0; i < at.size(); ++i) row_at[at[i] - at.front()] = static_cast<Index>(i);
  std::vector<std::pair<Index, Index>> rows;
  for (size_t i = 0; i < at.size(); ++i) {
    const size_t further = at[i] - at.front() + shift;
    if (further < row_at.size() && row_at[further] >= 0) rows.emplace_back(static_cast<Index>(i), row_at[further]);
  }
  return rows;
}

double mean_of_pairs(const Table& values) {
  const auto n = static_cast<double>(values.rows());
  return (values.sum() - values.trace()) / (n * (n - 1));
}

/// @param farthest  of the pairs that count @param mean  of their numbers
double share_up_to(const PairTable& pairs, size_t farthest, double mean) {
  require(pairs.at.size() >= 3, "share by distance", "expected three positions or more");
  const Vector means = means_by_distance(pairs);
  double rest = 0;
  double energy = 0;
  for (size_t i = 0; i < pairs.at.size(); ++i) {
    for (size_t j = i + 1; j < pairs.at.size() && pairs.at[j] - pairs.at[i] <= farthest; ++j) {
      const double value = pairs.values(static_cast<Index>(i), static_cast<Index>(j));
      const double left = value - means(static_cast<Index>(pairs.at[j] - pairs.at[i]));
      rest += left * left;
      energy += (value - mean) * (value - mean);
    }
  }
  return energy > 0 ? 1 - rest / energy : 0;
}

}  // namespace

PairTable squared_distances(const PlacedRows& rows) {
  const Table around = centred(rows.rows);
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(around.rows(), around.rows());
  products.selfadjointView<Eigen::Lower>().rankUpdate(around);
  return pairs_of(Table(products.selfadjointView<Eigen::Lower>()), rows.at);
}

PairTable squared_distances(const PlacedRows& rows, const Table& form) {
  const Table around = centred(rows.rows);
  const Table even = (form + form.transpose()) / 2;
  return pairs_of(around * even * around.transpose(), rows.at);
}

double kept_by_shift(const PairTable& pairs, size_t shift) {
  const auto rows = shifted_rows(pairs.at, shift);
  require(shift >= 1 && rows.size() >= 3, "kept by shift", "expected three positions with one that much further");
  double change = 0;
  double sum = 0;
  double squares = 0;
  // Around about their mean, so that no digits are lost to it.
  const double about = mean_of_pairs(pairs.values);
  for (size_t a = 0; a < rows.size(); ++a) {
    for (size_t b = a + 1; b < rows.size(); ++b) {
      const double before = pairs.values(rows[a].first, rows[b].first) - about;
      const double after = pairs.values(rows[a].second, rows[b].second) - about;
      change += (after - before) * (after - before);
      sum += before + after;
      squares += before * before + after * after;
    }
  }
  const auto numbers = static_cast<double>(rows.size() * (rows.size() - 1));
  const double energy = squares - sum * sum / numbers;
  return energy > 0 ? 1 - change / energy : 0;
}

Vector means_by_distance(const PairTable& pairs) {
  const auto span = static_cast<Index>(span_of(pairs.at));
  Vector sums = Vector::Zero(span);
  Vector counts = Vector::Zero(span);
  for (size_t i = 0; i < pairs.at.size(); ++i) {
    for (size_t j = i + 1; j < pairs.at.size(); ++j) {
      const auto distance = static_cast<Index>(pairs.at[j] - pairs.at[i]);
      sums(distance) += pairs.values(static_cast<Index>(i), static_cast<Index>(j));
      counts(distance) += 1;
    }
  }
  return sums.cwiseQuotient(counts.cwiseMax(1));
}

double share_by_distance(const PairTable& pairs) {
  return share_up_to(pairs, span_of(pairs.at), mean_of_pairs(pairs.values));
}

double share_by_distance(const PairTable& pairs, size_t farthest) {
  double sum = 0;
  double count = 0;
  for (size_t i = 0; i < pairs.at.size(); ++i) {
    for (size_t j = i + 1; j < pairs.at.size() && pairs.at[j] - pairs.at[i] <= farthest; ++j) {
      sum += pairs.values(static_cast<Index>(i), static_cast<Index>(j));
      ++count;
    }
  }
  return count > 0 ? share_up_to(pairs, farthest, sum / count) : 0;
}

ToeplitzHankelFit::ToeplitzHankelFit(const std::vector<size_t>& at) : at_(at) {
  require(at.size() >= 4, "Toeplitz and Hankel shares", "expected four positions or more");
  const auto span = static_cast<Index>(span_of(at));
  distance_counts_ = Vector::Zero(span);
  sum_counts_ = Vector::Zero(2 * span - 1);
  std::vector<std::vector<Index>> meets(static_cast<size_t>(2 * span - 1));  // which distances meet a sum
  for (size_t i = 0; i < at.size(); ++i) {
    for (size_t j = i + 1; j < at.size(); ++j) {
      const size_t sum = at[i] + at[j] - 2 * at.front();
      const auto distance = static_cast<Index>(at[j] - at[i]);
      distance_counts_(distance) += 1;
      sum_counts_(static_cast<Index>(sum)) += 1;
      meets[sum].push_back(distance);
    }
  }
  Eigen::MatrixXd reduced = distance_counts_.asDiagonal();
  for (size_t sum = 0; sum < meets.size(); ++sum) {
    const double each = meets[sum].empty() ? 0 : 1 / static_cast<double>(meets[sum].size());
    for (const Index a : meets[sum]) {
      for (const Index b : meets[sum]) reduced(a, b) -= each;
    }
  }
  // Constants of all even, and of all odd, distances are ones of such sums too: the inverse leaves them out.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(reduced);
  const Vector& values = eigen.eigenvalues();
  const double least = kShared * values.maxCoeff();
  const Vector inverse = (values.array() > least).select(values.array().max(least).inverse(), 0);
  solution_ = eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

ToeplitzHankel ToeplitzHankelFit::shares(const Table& symmetric) const {
  require(symmetric.rows() == static_cast<Index>(at_.size()) && symmetric.cols() == symmetric.rows(),
          "Toeplitz and Hankel shares", "expected a number for each pair of positions");
  const double mean = mean_of_pairs(symmetric);
  Vector distances = Vector::Zero(distance_counts_.size());
  Vector sums = Vector::Zero(sum_counts_.size());
  double energy = 0;
  for (size_t i = 0; i < at_.size(); ++i) {
    for (size_t j = i + 1; j < at_.size(); ++j) {
      const double value = symmetric(static_cast<Index>(i), static_cast<Index>(j)) - mean;
      distances(static_cast<Index>(at_[j] - at_[i])) += value;
      sums(static_cast<Index>(at_[i] + at_[j] - 2 * at_.front())) += value;
      energy += value * value;
    }
  }
  require(energy > 0, "Toeplitz and Hankel shares", "expected entries off the diagonal that differ");
  const Vector mean_of_sum = sums.cwiseQuotient(sum_counts_.cwiseMax(1));
  Vector right = distances;
  for (size_t i = 0; i < at_.size(); ++i) {
    for (size_t j = i + 1; j < at_.size(); ++j) {
      right(static_cast<Index>(at_[j] - at_[i])) -= mean_of_sum(static_cast<Index>(at_[i] + at_[j] - 2 * at_.front()));
    }
  }
  const double hankel = sums.dot(mean_of_sum) / energy;
  const double toeplitz = distances.dot(distances.cwiseQuotient(distance_counts_.cwiseMax(1))) / energy;
  const double both = hankel + right.dot(solution_ * right) / energy;
  return {.toeplitz = both - hankel, .hankel = both - toeplitz, .shared = toeplitz + hankel - both, .rest = 1 - both};
}

}  // namespace summand::lab
