#include "lab/experiments/decoding/disturbed_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/random_stream.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/statistics/proportion.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kDeadGain = 1e-4;  // of the largest: a coordinate that the
                                    // normalisation's weight has switched off

/// To the nearest, ties to even.
float to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U);
}

FloatTable noisy(FloatTable vectors, double noise, RandomStream& stream) {
  for (Index i = 0; i < vectors.rows(); ++i) {
    const double scale = noise * vectors.row(i).norm() / std::sqrt(static_cast<double>(vectors.cols()));
    for (Index d = 0; d < vectors.cols(); ++d) vectors(i, d) += static_cast<float>(scale * stream.normal());
  }
  return vectors;
}

/// Rounds what the model would hold: behind the normalisation with weight and bias, which are then taken off again.
FloatTable rounded(FloatTable vectors, Seen seen, const FirstNorm* norm) {
  const double largest = norm ? norm->weight.cwiseAbs().maxCoeff() : 0;
  for (Index i = 0; i < vectors.rows(); ++i) {
    for (Index d = 0; d < vectors.cols(); ++d) {
      float& value = vectors(i, d);
      if (seen == Seen::sum || !norm) {
        value = to_bf16(value);
        continue;
      }
      const auto gain = static_cast<float>(norm->weight(d));
      const auto bias = static_cast<float>(norm->bias(d));
      const bool dead = std::abs(norm->weight(d)) <= kDeadGain * largest;
      value = dead ? 0 : (to_bf16(value * gain + bias) - bias) / gain;
    }
  }
  return vectors;
}

}  // namespace

const std::vector<Disturbance>& disturbances() {
  static const std::vector<Disturbance> list = [] {
    std::vector<Disturbance> all{{"exact", localize("decoding.disturbances.exact"), 0, false},
                                 {"bf16", localize("decoding.disturbances.bf16"), 0, true}};
    for (const int percent : kNoisePercents) {
      all.push_back({fmt::format("noise_{}", percent), localize("decoding.disturbances.noise", {{"percent", percent}}),
                     percent / 100.0, false});
    }
    return all;
  }();
  return list;
}

Interval bounds_of(std::span<const Decoded> decoded) {
  return exact_proportion(static_cast<size_t>(std::ranges::count(decoded, true, &Decoded::exact)), decoded.size());
}

Decoding::Decoding(const SumDecoder& decoder, const DecodedItems& of, Seen seen, const FirstNorm* norm,
                   const Conditions& conditions) {
  const FloatTable clean = decoder.seen(of.items, seen);
  for (const auto& disturbance : disturbances()) {
    begins_.push_back(begins_.back() + (disturbance.noise > 0 ? of.noisy : of.items.size()));
  }
  FloatTable all(static_cast<Index>(begins_.back()), clean.cols());
  std::vector<SumItem> truth;
  for (size_t k = 0; k < disturbances().size(); ++k) {
    const auto& disturbance = disturbances()[k];
    const size_t count = begins_[k + 1] - begins_[k];
    const FloatTable some = clean.topRows(static_cast<Index>(count));
    RandomStream stream(conditions.seed, fmt::format("decoding: {} {}", disturbance.name, static_cast<int>(seen)));
    all.middleRows(static_cast<Index>(begins_[k]), some.rows()) = disturbance.bf16 ? rounded(some, seen, norm)
                                                                  : disturbance.noise > 0
                                                                      ? noisy(some, disturbance.noise, stream)
                                                                      : some;
    truth.insert(truth.end(), of.items.begin(), of.items.begin() + static_cast<std::ptrdiff_t>(count));
  }
  decoded_ = decoder.decode(all, truth, seen, thread_count(conditions));
}

Interval Decoding::bounds(size_t disturbance) const {
  return bounds_of(of(disturbance));
}

double Decoding::rate(size_t disturbance, bool Decoded::*part) const {
  const auto some = of(disturbance);
  return static_cast<double>(std::ranges::count(some, true, part)) / static_cast<double>(some.size());
}

std::vector<double> Decoding::margins() const {
  std::vector<double> margins;
  for (const auto& one : of(kUndisturbed)) margins.push_back(one.margin);
  return margins;
}

}  // namespace summand::lab
