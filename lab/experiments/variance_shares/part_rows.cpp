#include "lab/experiments/variance_shares/part_rows.hpp"

#include <array>
#include <numeric>
#include <vector>

namespace summand::lab {

using Eigen::Index;

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

double DimensionShares::dominated(const Vector& share) {
  return static_cast<double>((share.array() > kDominant).count()) / static_cast<double>(share.size());
}

DimensionShares dimension_shares(const PartRows& rows) {
  std::vector<size_t> all(static_cast<size_t>(rows.token.rows()));
  std::iota(all.begin(), all.end(), size_t{0});
  return dimension_shares(rows, all);
}

DimensionShares dimension_shares(const PartRows& rows, std::span<const size_t> chosen) {
  const Index hidden = rows.token.cols();
  const std::array<const Table*, 4> parts{&rows.common, &rows.token, &rows.position, &rows.segment};
  std::array<Vector, 4> means;
  means.fill(Vector::Zero(hidden));
  std::array<Vector, 4> covariances;
  covariances.fill(Vector::Zero(hidden));
  const double count = static_cast<double>(chosen.size());
  for (const size_t i : chosen) {
    for (size_t k = 0; k < 4; ++k) means[k] += parts[k]->row(static_cast<Index>(i)).transpose() / count;
  }
  const Vector mean_of_sum = means[0] + means[1] + means[2] + means[3];
  Vector variance = Vector::Zero(hidden);
  for (const size_t i : chosen) {
    const auto at = static_cast<Index>(i);
    const Vector x =
        (parts[0]->row(at) + parts[1]->row(at) + parts[2]->row(at) + parts[3]->row(at)).transpose() - mean_of_sum;
    variance += x.cwiseAbs2() / count;
    for (size_t k = 0; k < 4; ++k) {
      covariances[k] += (parts[k]->row(at).transpose() - means[k]).cwiseProduct(x) / count;
    }
  }
  const auto share = [&](const Vector& covariance) -> Vector {
    return (variance.array() > 0).select(covariance.array() / variance.array().max(1e-300), 0.0);
  };
  return {share(covariances[0]), share(covariances[1]), share(covariances[2]), share(covariances[3]), variance};
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
  return {Vector::Zero(variance.size()), share(token), share(position), share(segment), variance};
}

}  // namespace summand::lab
