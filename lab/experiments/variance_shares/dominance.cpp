#include "lab/experiments/variance_shares/dominance.hpp"

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "lab/core/wording.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/subspaces.hpp"

namespace summand::lab {

using Eigen::Index;

namespace variance_shares_parts {
namespace {

constexpr double kNullShare = 0.1;          // of the null's positions in every dimension; in the texts: a tenth
constexpr double kPlantedDimensions = 0.1;  // in the texts: every tenth
constexpr double kPlantedVariance = 4;      // times the tokens'
constexpr double kElsewhere = 0.1;          // times the tokens'

constexpr NumberName kDominatedShuffled{"variance_shares", "dominated_shuffled"};
constexpr NumberName kDominatedUniform{"variance_shares", "dominated_uniform"};
constexpr NumberName kDominatedUniformAfter{"variance_shares", "dominated_uniform_after"};
constexpr NumberName kParticipation{"variance_shares", "participation"};

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
  const auto add = [&](const std::string& part, const Table& addend) {
    readings.push_back(
        {part + "_over_coordinates",
         wording("variance_shares.numbers.over_coordinates", {{"part", wording("variance_shares.parts." + part)}}),
         over_coordinates(addend, sum)});
  };
  add("common", rows.common);
  add("token", rows.token);
  add("position", rows.position);
  add("segment", rows.segment);
  add("segment_raw", rows.segment.rowwise() + segment_mean.transpose());
}

void add_shares(const std::string& where, const DimensionShares& of, Readings& readings) {
  const Fills there{{"where", wording("variance_shares.where." + where)}};
  readings.push_back(reading(kTokenShare, where, of.whole(of.token), there));
  readings.push_back(reading(kPositionShare, where, of.whole(of.position), there));
  readings.push_back(reading(kSegmentShare, where, of.whole(of.segment), there));
}

/// How much of the tokens' variance lies in the dimensions where positions dominate.
double tokens_where_dominated(const DimensionShares& shares) {
  const Vector tokens = shares.token.cwiseProduct(shares.variance);
  const double masked = (shares.position.array() > DimensionShares::kDominant).select(tokens.array(), 0.0).sum();
  return tokens.sum() > 0 ? masked / tokens.sum() : 0;
}

}  // namespace
}  // namespace variance_shares_parts

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
  using namespace variance_shares_parts;
  const auto hidden = static_cast<size_t>(corpus.token.cols());
  const double scale = std::sqrt(kNullShare / (1 - kNullShare) * spread(corpus.token) / spread(corpus.position));
  parts.positions = (scale * parts.positions * random_frame(hidden, hidden, stream)).eval();
  return parts;
}

InputParts with_own_dimensions(InputParts parts, const PartRows& corpus) {
  using namespace variance_shares_parts;
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
  using namespace variance_shares_parts;
  const DimensionShares before = dimension_shares(samples.corpus);
  const DimensionShares after = dimension_shares(samples.corpus_after);
  const DimensionShares uniform = uniform_shares(parts);
  const DimensionShares uniform_after = dimension_shares(samples.uniform_after);
  const DimensionShares shuffled = dimension_shares(with_shuffled_dimensions(samples.corpus, conditions));
  Readings readings;
  const auto dominated = [&](const NumberName& name, const DimensionShares& of) {
    readings.push_back(reading(name, DimensionShares::dominated(of.position)));
  };
  dominated(kDominated, before);
  dominated(kDominatedShuffled, shuffled);
  dominated(kDominatedAfter, after);
  dominated(kDominatedUniform, uniform);
  dominated(kDominatedUniformAfter, uniform_after);
  add_shares(kCorpus, before, readings);
  add_shares("corpus_after", after, readings);
  add_shares("uniform", uniform, readings);
  add_shares("uniform_after", uniform_after, readings);
  add_coordinate_shares(samples.corpus, parts.segment_mean, readings);
  readings.push_back(reading(kTokensThere, tokens_where_dominated(before)));
  readings.push_back(reading(kParticipation, participation(parts.positions)));
  return readings;
}

}  // namespace summand::lab
