#include "lab/experiments/variance_shares/normalisation_mix.hpp"

#include <cmath>
#include <utility>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/readings.hpp"
#include "lab/experiments/variance_shares/part_rows.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace {

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
  return {{"variance_token",
           {"variance over coordinates, centred token rows", "中心化词元行在各维度上的方差"},
           coordinate_variance(rows.token)},
          {"variance_position", {"the same, position rows", "同上，位置行"}, coordinate_variance(rows.position)},
          {"variance_segment", {"the same, segment rows", "同上，片段行"}, coordinate_variance(rows.segment)},
          {"variance_common", {"the same, the common vector", "同上，公共向量"}, coordinate_variance(rows.common)},
          {"variance_sum", {"the same, the sum", "同上，三者之和"}, coordinate_variance(rows.sum())}};
}

/// How much σ differs from token to token, before and after.
void add_unevenness(const PartRows& rows, const FirstNorm& norm, const Conditions& conditions, Numbers& numbers) {
  FirstNorm plain = norm;
  plain.weight.setOnes();
  RandomStream stream(conditions.seed, "variance shares: scales");
  const PartRows uneven_rows = unevenly_scaled(rows, stream);
  const double before = uneven(rows.sum());
  const double after = uneven(normalised(rows, plain).sum());
  numbers.add(
      Measured("uneven_before",
               {"spread of σ over tokens, beside its mean, before normalisation",
                "归一化前各词元 σ 的离散程度（与均值之比）"},
               before)
          .null(after, {"sums of one σ", "σ 全部相等的和"})
          .control(uneven(uneven_rows.sum()), {"sums scaled at random, by ½ to 2", "各个和随机缩放 ½ 至 2 倍"}));
  numbers.add(
      Measured("uneven_after", {"the same after it, weight and bias left out", "归一化后（不含权重与偏置）"}, after)
          .null(before, {"without the normalisation", "不做归一化"})
          .control(uneven(normalised(uneven_rows, plain).sum()),
                   {"sums scaled at random, by ½ to 2", "各个和随机缩放 ½ 至 2 倍"}));
}

}  // namespace

void measure_normalisation(const PartSamples& samples, const FirstNorm& norm, const Conditions& conditions,
                           Numbers& numbers) {
  const PartRows& rows = samples.corpus;
  const PartRows doubled = with_positions(rows, 2 * rows.position);
  const PartRows all_doubled{2 * rows.common, 2 * rows.token, 2 * rows.position, 2 * rows.segment};
  numbers.add(Measured("mix_moves",
                       {"change of the positions' share after normalisation when their rows are doubled",
                        "位置行加倍时，归一化后位置占比的变化"},
                       change_of_share(samples.corpus_after, normalised(doubled, norm)))
                  .null(change_of_share(rows, doubled), {"without the normalisation", "不做归一化"})
                  .control(change_of_share(samples.corpus_after, normalised(all_doubled, norm)),
                           {"the whole sum doubled, which it takes out", "整个和加倍，归一化会消去"}));
  add_unevenness(rows, norm, conditions, numbers);
  RandomStream stream(conditions.seed, "variance shares: normal parts");
  auto variances =
      numbers_beside(variance_readings(rows),
                     {{"tokens alone: nothing added", "只有词元：什么也没加"}, variance_readings(tokens_alone(rows))},
                     {{"independent normal parts of variance 1", "方差为 1 的独立正态各部分"},
                      variance_readings(normal_parts(rows, stream))});
  for (Number& number : variances) numbers.add(std::move(number));
}

}  // namespace summand::lab
