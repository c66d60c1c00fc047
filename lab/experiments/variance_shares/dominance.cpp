#include "lab/experiments/variance_shares/dominance.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/subspaces.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr double kNullShare = 0.1;  // of the null's positions in every dimension
constexpr double kPlantedDimensions = 0.1;
constexpr double kPlantedVariance = 4;  // times the tokens'
constexpr double kElsewhere = 0.1;      // times the tokens'

double spread(const Table& rows) {
  return (rows.rowwise() - rows.colwise().mean()).squaredNorm();
}

PartRows with_shuffled_dimensions(const PartRows& rows, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "variance shares: dimensions");
  std::vector<Index> order(static_cast<size_t>(rows.token.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  stream.shuffle(std::span(order));
  PartRows shuffled = rows;
  for (size_t d = 0; d < order.size(); ++d) shuffled.position.col(static_cast<Index>(d)) = rows.position.col(order[d]);
  return shuffled;
}

/// How evenly positions use the dimensions: 1 if all alike, 1/hidden if one.
double participation(const Table& rows) {
  const Vector variances = (rows.rowwise() - rows.colwise().mean()).cwiseAbs2().colwise().mean().transpose();
  return participation_ratio(variances / variances.sum()) / static_cast<double>(variances.size());
}

/// Cov(part, x)/Var(x) over the coordinates of each row, the mean over rows.
double over_coordinates(const Table& part, const Table& sum) {
  double total = 0;
  for (Index i = 0; i < sum.rows(); ++i) {
    const Vector x = (sum.row(i).array() - sum.row(i).mean()).transpose();
    const double variance = x.squaredNorm();
    if (variance > 0) total += part.row(i).dot(x) / variance;
  }
  return total / static_cast<double>(sum.rows());
}

/// What the shares of each vector's own variance are: here the common vector has one.
void add_coordinate_shares(const PartRows& rows, const Vector& segment_mean, Readings& readings) {
  const Table sum = rows.sum();
  const auto add = [&](const char* name, const Words& part, const Table& addend) {
    readings.push_back({fmt::format("{}_over_coordinates", name),
                        {part.en + ": share of a vector's variance over its coordinates, mean over the corpus",
                         part.zh + "：占一个向量各坐标方差的比例，语料平均"},
                        over_coordinates(addend, sum)});
  };
  add("common", {"common vector", "公共向量"}, rows.common);
  add("token", {"centred token", "中心化词元"}, rows.token);
  add("position", {"centred position", "中心化位置"}, rows.position);
  add("segment", {"centred segment", "中心化片段"}, rows.segment);
  add("segment_raw", {"raw segment", "原始片段"}, rows.segment.rowwise() + segment_mean.transpose());
}

void add_shares(const char* name, const Words& where, const DimensionShares& of, Readings& readings) {
  const auto add = [&](const char* part, const Words& words, const Vector& share) {
    readings.push_back({fmt::format("{}_{}", part, name), {words.en + where.en, words.zh + where.zh}, of.whole(share)});
  };
  add("token_share", {"token's share of the variance, ", "词元的方差占比，"}, of.token);
  add("position_share", {"position's share of the variance, ", "位置的方差占比，"}, of.position);
  add("segment_share", {"segment's share of the variance, ", "片段的方差占比，"}, of.segment);
}

/// How much of the tokens' variance lies in the dimensions where positions have over half.
double tokens_where_dominated(const DimensionShares& shares) {
  const Vector tokens = shares.token.cwiseProduct(shares.variance);
  const double masked = (shares.position.array() > 0.5).select(tokens.array(), 0.0).sum();
  return tokens.sum() > 0 ? masked / tokens.sum() : 0;
}

}  // namespace

PartSamples samples_of(const InputParts& parts, const FirstNorm& norm, std::vector<SumItem> corpus,
                       std::vector<SumItem> uniform) {
  PartSamples samples{.corpus_items = std::move(corpus),
                      .uniform_items = std::move(uniform),
                      .corpus = {},
                      .corpus_after = {},
                      .uniform_after = {}};
  samples.corpus = part_rows(parts, samples.corpus_items);
  samples.corpus_after = normalised(samples.corpus, norm);
  samples.uniform_after = normalised(part_rows(parts, samples.uniform_items), norm);
  return samples;
}

PartSamples samples_like(const PartSamples& samples, const InputParts& parts, const FirstNorm& norm) {
  return samples_of(parts, norm, samples.corpus_items, samples.uniform_items);
}

InputParts evenly_spread(InputParts parts, const PartRows& corpus, RandomStream& stream) {
  const auto hidden = static_cast<size_t>(corpus.token.cols());
  const double scale = std::sqrt(kNullShare / (1 - kNullShare) * spread(corpus.token) / spread(corpus.position));
  parts.positions = (scale * parts.positions * random_frame(hidden, hidden, stream)).eval();
  return parts;
}

InputParts with_own_dimensions(InputParts parts, const PartRows& corpus) {
  const auto step = static_cast<Index>(1 / kPlantedDimensions);
  for (Index d = 0; d < corpus.token.cols(); ++d) {
    const double token = spread(corpus.token.col(d));
    const double position = spread(corpus.position.col(d));
    const double wanted = d % step == 0 ? kPlantedVariance : kElsewhere;
    if (position > 0) parts.positions.col(d) *= std::sqrt(token / position * wanted);
  }
  return parts;
}

Readings dominance_readings(const PartSamples& samples, const InputParts& parts, const Conditions& conditions) {
  const DimensionShares before = dimension_shares(samples.corpus);
  const DimensionShares after = dimension_shares(samples.corpus_after);
  const DimensionShares uniform = uniform_shares(parts);
  const DimensionShares uniform_after = dimension_shares(samples.uniform_after);
  const DimensionShares shuffled = dimension_shares(with_shuffled_dimensions(samples.corpus, conditions));
  Readings readings;
  const auto dominated = [&](const char* name, Words label, const DimensionShares& of) {
    readings.push_back({name, std::move(label), DimensionShares::dominated(of.position)});
  };
  dominated("dominated",
            {"fraction of dimensions where position has over half of the variance; corpus, before normalisation",
             "位置占方差一半以上的维度比例；按语料，归一化前"},
            before);
  dominated("dominated_shuffled",
            {"the same with the positions' dimensions in random order", "同上，位置的维度次序打乱"}, shuffled);
  dominated("dominated_after", {"the same, after normalisation", "同上，归一化后"}, after);
  dominated("dominated_uniform",
            {"the same, all combinations alike, before normalisation", "同上，各组合等权，归一化前"}, uniform);
  dominated("dominated_uniform_after",
            {"the same, all combinations alike, after normalisation", "同上，各组合等权，归一化后"}, uniform_after);
  add_shares("corpus", {"corpus, before normalisation", "按语料，归一化前"}, before, readings);
  add_shares("corpus_after", {"corpus, after normalisation", "按语料，归一化后"}, after, readings);
  add_shares("uniform", {"all combinations alike, before normalisation", "各组合等权，归一化前"}, uniform, readings);
  add_shares("uniform_after", {"all combinations alike, after normalisation", "各组合等权，归一化后"}, uniform_after,
             readings);
  add_coordinate_shares(samples.corpus, parts.segment_mean, readings);
  readings.push_back({"tokens_there",
                      {"the tokens' variance that lies in those dimensions", "词元方差落在这些维度中的比例"},
                      tokens_where_dominated(before)});
  readings.push_back({"participation",
                      {"participation ratio of the positions' variance over dimensions, of all (table, centred)",
                       "位置方差在各维度上的参与率（整表，中心化）"},
                      participation(parts.positions)});
  return readings;
}

}  // namespace summand::lab
