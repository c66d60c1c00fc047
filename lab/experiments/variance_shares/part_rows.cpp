#include "lab/experiments/variance_shares/part_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "lab/statistics/moments.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr double kLeastShareVariance = 1e-14;

}  // namespace

PartRows part_rows(const InputParts& parts, std::span<const SumItem> items) {
  const auto count = static_cast<Index>(items.size());
  const Index hidden = parts.tokens.cols();
  PartRows rows{Table(count, hidden), Table(count, hidden), Table(count, hidden), Table(count, hidden)};
  for (Index i = 0; i < count; ++i) {
    const SumItem& item = items[static_cast<size_t>(i)];
    rows.common.row(i) = parts.common.transpose();
    rows.token.row(i) = parts.tokens.row(item.token);
    rows.position.row(i) = parts.positions.row(item.position);
    rows.segment.row(i) = parts.segments.row(item.segment);
  }
  return rows;
}

PartRows normalised(const PartRows& rows, const FirstNorm& norm) {
  const Table sum = rows.sum();
  Vector factors(sum.rows());
  for (Index i = 0; i < sum.rows(); ++i) factors(i) = norm.inverse_deviation(sum.row(i).transpose());
  const auto one = [&](const Table& part) -> Table {
    const Vector means = part.rowwise().mean();
    return factors.asDiagonal() * (part.colwise() - means) * norm.weight.asDiagonal();
  };
  return {one(rows.common), one(rows.token), one(rows.position), one(rows.segment)};
}

double DimensionShares::whole(const Vector& share) const {
  const double total = variance.sum();
  return total > 0 ? share.dot(variance) / total : 0;
}

double DimensionShares::dominated(const Vector& share) const {
  const double total = variance.sum();
  return total > 0 ? (share.array() > kDominant).select(variance.array(), 0.0).sum() / total : 0;
}

double DimensionShares::dominated_dimensions(const Vector& share) {
  return static_cast<double>((share.array() > kDominant).count()) / static_cast<double>(share.size());
}

double DimensionShares::tokens_where_dominated() const {
  const Vector tokens = token.cwiseProduct(variance);
  const double masked = (position.array() > kDominant).select(tokens.array(), 0.0).sum();
  constexpr double kRounding = 1e-12;
  const bool vary = tokens.sum() > kRounding * variance.sum();
  return vary ? masked / tokens.sum() : 1;  // of none, nothing lies elsewhere
}

Index DimensionShares::largest() const {
  Index at = 0;
  variance.maxCoeff(&at);
  return at;
}

TextMoments::TextMoments(const PartRows& rows, std::span<const size_t> texts) : hidden_(rows.token.cols()) {
  // Less their means, for the sums of squares below.
  const std::array<Table, 4> parts{centred(rows.common), centred(rows.token), centred(rows.position),
                                   centred(rows.segment)};
  const Table sum = parts[0] + parts[1] + parts[2] + parts[3];
  for (size_t text = 0; text + 1 < texts.size(); ++text) {
    const auto first = static_cast<Index>(texts[text]);
    const Index count = static_cast<Index>(texts[text + 1]) - first;
    Sums& sums =
        texts_.emplace_back(Sums{.count = static_cast<double>(count), .part = {}, .with_sum = {}, .square = {}});
    const auto x = sum.middleRows(first, count);
    for (size_t k = 0; k < parts.size(); ++k) {
      const auto part = parts[k].middleRows(first, count);
      sums.part[k] = part.colwise().sum().transpose();
      sums.with_sum[k] = part.cwiseProduct(x).colwise().sum().transpose();
      sums.square[k] = part.cwiseAbs2().colwise().sum().transpose();
    }
  }
}

DimensionShares TextMoments::shares() const {
  std::vector<size_t> all(texts_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return shares(all);
}

DimensionShares TextMoments::shares(std::span<const size_t> chosen) const {
  Sums all;
  for (auto* of : {&all.part, &all.with_sum, &all.square}) of->fill(Vector::Zero(hidden_));
  for (const size_t text : chosen) {
    const Sums& one = texts_[text];
    all.count += one.count;
    for (size_t k = 0; k < 4; ++k) {
      all.part[k] += one.part[k];
      all.with_sum[k] += one.with_sum[k];
      all.square[k] += one.square[k];
    }
  }
  const double count = std::max(1.0, all.count);
  const Vector mean_of_sum = (all.part[0] + all.part[1] + all.part[2] + all.part[3]) / count;
  DimensionShares shares;
  std::array<Vector, 4> covariances;
  for (size_t k = 0; k < 4; ++k) {
    const Vector mean = all.part[k] / count;
    covariances[k] = all.with_sum[k] / count - mean.cwiseProduct(mean_of_sum);
    shares.own[k] = std::max(0.0, all.square[k].sum() / count - mean.squaredNorm());
  }
  shares.variance = (covariances[0] + covariances[1] + covariances[2] + covariances[3]).cwiseMax(0);
  // Below it a dimension has rounding errors alone.
  const double least = kLeastShareVariance * shares.variance.mean();
  const auto share = [&](const Vector& covariance) -> Vector {
    return (shares.variance.array() > least).select(covariance.array() / shares.variance.array().max(1e-300), 0.0);
  };
  shares.common = share(covariances[0]);
  shares.token = share(covariances[1]);
  shares.position = share(covariances[2]);
  shares.segment = share(covariances[3]);
  return shares;
}

DimensionShares dimension_shares(const PartRows& rows) {
  const std::array<size_t, 2> all{0, static_cast<size_t>(rows.token.rows())};
  return TextMoments(rows, all).shares();
}

DimensionShares uniform_shares(const InputParts& parts) {
  const auto variances = [](const Table& table) -> Vector { return table.cwiseAbs2().colwise().mean().transpose(); };
  const Vector token = variances(parts.tokens);
  const Vector position = variances(parts.positions);
  const Vector segment = variances(parts.segments);
  const Vector variance = token + position + segment;
  const auto share = [&](const Vector& part) -> Vector {
    return (variance.array() > 0).select(part.array() / variance.array().max(1e-300), 0.0);
  };
  return {Vector::Zero(variance.size()),
          share(token),
          share(position),
          share(segment),
          variance,
          {0, token.sum(), position.sum(), segment.sum()}};
}

}  // namespace summand::lab
