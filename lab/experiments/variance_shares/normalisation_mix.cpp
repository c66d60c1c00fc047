#include "lab/experiments/variance_shares/normalisation_mix.hpp"

#include <cmath>
#include <utility>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/readings.hpp"
#include "lab/core/wording.hpp"
#include "lab/experiments/variance_shares/part_rows.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace variance_shares_parts {
namespace {

constexpr NumberName kVarianceToken{"variance_shares", "variance_token"};
constexpr NumberName kVariancePosition{"variance_shares", "variance_position"};
constexpr NumberName kVarianceSegment{"variance_shares", "variance_segment"};
constexpr NumberName kVarianceCommon{"variance_shares", "variance_common"};
constexpr NumberName kVarianceSum{"variance_shares", "variance_sum"};

/// Positions' rows exchanged, the rest as it is.
PartRows with_positions(PartRows rows, Table positions) {
  rows.position = std::move(positions);
  return rows;
}

/// What doubling changes in the positions' share.
double change_of_share(const PartRows& rows, const PartRows& changed) {
  const DimensionShares before = dimension_shares(rows);
  const DimensionShares after = dimension_shares(changed);
  return std::abs(after.whole(after.position) - before.whole(before.position));
}

/// Of the coordinates of each row: the mean variance.
double coordinate_variance(const Table& rows) {
  const Vector means = rows.rowwise().mean();
  return (rows.colwise() - means).squaredNorm() / static_cast<double>(rows.size());
}

/// The standard deviation over rows of each row's own deviation, beside its mean.
double uneven(const Table& rows) {
  const Vector means = rows.rowwise().mean();
  const Vector deviations = ((rows.colwise() - means).cwiseAbs2().rowwise().mean()).cwiseSqrt();
  return standard_deviation(elements(deviations)) / deviations.mean();
}

/// Every sum scaled by a number of its own, between a half and two.
PartRows unevenly_scaled(PartRows rows, RandomStream& stream) {
  Vector factors(rows.token.rows());
  for (double& factor : factors) factor = std::exp2(2 * stream.uniform() - 1);
  for (Table* part : {&rows.common, &rows.token, &rows.position, &rows.segment}) {
    *part = (factors.asDiagonal() * *part).eval();
  }
  return rows;
}

PartRows tokens_alone(PartRows rows) {
  for (Table* part : {&rows.common, &rows.position, &rows.segment}) part->setZero();
  return rows;
}

/// Independent normal parts of variance 1.
PartRows normal_parts(const PartRows& rows, RandomStream& stream) {
  const auto part = [&] {
    return white_noise({static_cast<size_t>(rows.token.rows()), static_cast<size_t>(rows.token.cols())}, stream);
  };
  return {part(), part(), part(), part()};
}

Readings variance_readings(const PartRows& rows) {
  return {reading(kVarianceToken, coordinate_variance(rows.token)),
          reading(kVariancePosition, coordinate_variance(rows.position)),
          reading(kVarianceSegment, coordinate_variance(rows.segment)),
          reading(kVarianceCommon, coordinate_variance(rows.common)),
          reading(kVarianceSum, coordinate_variance(rows.sum()))};
}

/// How much σ differs from token to token, before and after.
void add_unevenness(const PartRows& rows, const FirstNorm& norm, const Conditions& conditions, Numbers& numbers) {
  FirstNorm plain = norm;
  plain.weight.setOnes();
  RandomStream stream(conditions.seed, "variance shares: scales");
  const PartRows uneven_rows = unevenly_scaled(rows, stream);
  const double before = uneven(rows.sum());
  const double after = uneven(normalised(rows, plain).sum());
  const Words of_scaled = wording("variance_shares.beside.scaled");
  numbers.add(Measured(kUnevenBefore, before)
                  .null(after, wording("variance_shares.beside.one_deviation"))
                  .control(uneven(uneven_rows.sum()), of_scaled));
  numbers.add(Measured(kUnevenAfter, after)
                  .null(before, wording("variance_shares.beside.no_normalisation"))
                  .control(uneven(normalised(uneven_rows, plain).sum()), of_scaled));
}

}  // namespace
}  // namespace variance_shares_parts

void measure_normalisation(const PartSamples& samples, const FirstNorm& norm, const Conditions& conditions,
                           Numbers& numbers) {
  using namespace variance_shares_parts;
  const PartRows& rows = samples.corpus;
  const PartRows doubled = with_positions(rows, 2 * rows.position);
  const PartRows all_doubled{2 * rows.common, 2 * rows.token, 2 * rows.position, 2 * rows.segment};
  numbers.add(Measured(kMix, change_of_share(samples.corpus_after, normalised(doubled, norm)))
                  .null(change_of_share(rows, doubled), wording("variance_shares.beside.no_normalisation"))
                  .control(change_of_share(samples.corpus_after, normalised(all_doubled, norm)),
                           wording("variance_shares.beside.all_doubled")));
  add_unevenness(rows, norm, conditions, numbers);
  RandomStream stream(conditions.seed, "variance shares: normal parts");
  auto variances = numbers_beside(
      variance_readings(rows), {wording("variance_shares.beside.tokens_alone"), variance_readings(tokens_alone(rows))},
      {wording("variance_shares.beside.normal_parts"), variance_readings(normal_parts(rows, stream))});
  for (Number& number : variances) numbers.add(std::move(number));
}

}  // namespace summand::lab
