#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "model/attention/ops.hpp"
#include "model/contract.hpp"

namespace summand::model {

namespace biases {

/// Buckets of distances: half of them for each direction, the nearer half of those for one distance each, the others
/// spaced as logarithms up to the largest distance.
/// Source: Raffel et al. 2020, section 2.1; transformers, T5Attention._relative_position_bucket
struct Buckets {
  int64_t count = 32;
  int64_t max_distance = 128;

  [[nodiscard]] std::string fault() const {
    if (count < 4 || count % 2 != 0) return fmt::format("buckets: expected an even number, 4 or more, got {}", count);
    if (max_distance <= count / 4) {
      return fmt::format("max_distance: expected more than a quarter of the buckets ({}), got {}", count / 4,
                         max_distance);
    }
    return "";
  }
  /// @param offset  the key's position or segment minus the query's
  [[nodiscard]] int64_t operator()(int64_t offset) const {
    const int64_t of_direction = count / 2;
    const int64_t single = of_direction / 2;
    const int64_t first = offset > 0 ? of_direction : 0;
    const int64_t distance = std::abs(offset);
    if (distance < single) return first + distance;
    // T5's code takes these logarithms in single precision.
    const float share = std::log(static_cast<float>(distance) / static_cast<float>(single)) /
                        static_cast<float>(std::log(static_cast<double>(max_distance) / static_cast<double>(single)));
    const auto step = static_cast<int64_t>(share * static_cast<float>(of_direction - single));
    return first + std::min(single + step, of_direction - 1);
  }
};

inline constexpr const char* kByBucket = "relative_attention_bias.weight";

template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value by_bucket(Ops& ops, const Buckets& buckets, const QueryKeyTokens& tokens) {
  return ops.spread(ops.head_columns(ops.parameter(kByBucket)),
                    of_each_distance(tokens, [&](int64_t distance) { return buckets(-distance); }));
}

/// 2^(−8h/heads) of heads 1, 2, …; where heads are no power of two, those of the power below and every other one of the
/// power above.
[[nodiscard]] inline std::vector<double> slopes(size_t heads) {
  const auto of_power = [](size_t count, size_t h) {
    return std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(count));
  };
  const size_t below = std::bit_floor(heads);
  std::vector<double> all;
  for (size_t h = 0; h < below; ++h) all.push_back(of_power(below, h));
  for (size_t h = 0; all.size() < heads; h += 2) all.push_back(of_power(2 * below, h));
  return all;
}

}  // namespace biases

/// A bias for each bucket of distances and each head.
/// Source: Raffel et al. 2020, section 2.1
struct T5Bias {
  static constexpr std::string_view kName = "t5_bias";
  static constexpr bool kByDistance = true;

  int64_t buckets = 32;
  int64_t max_distance = 128;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("buckets", self.buckets);
    visit("max_distance", self.max_distance);
  }
  [[nodiscard]] std::string fault(const AttentionSizes&) const {
    return biases::Buckets{buckets, max_distance}.fault();
  }
  [[nodiscard]] static T5Bias typical(const AttentionSizes&) { return {.buckets = 8, .max_distance = 12}; }
  void add_shared_parameters(Contract& contract, const AttentionSizes& sizes) const {
    contract.matrix(biases::kByBucket, static_cast<size_t>(buckets), sizes.heads);
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value bias(Ops& ops, const QueryKeyTokens& tokens, const AttentionSizes&, double) const {
    return biases::by_bucket(ops, {buckets, max_distance}, tokens);
  }
  bool operator==(const T5Bias&) const = default;
};

/// A penalty that grows with distance, at a rate of each head's own, the same in both directions.
/// Source: Press et al. 2022, section 3, without its causal mask
struct Alibi {
  static constexpr std::string_view kName = "alibi";
  static constexpr bool kByDistance = true;

  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value bias(Ops& ops, const QueryKeyTokens& tokens, const AttentionSizes& sizes,
                                         double) const {
    const auto distances = of_each_pair<double>(tokens, [](const TokenInText& query, const TokenInText& key) {
      return -std::abs(static_cast<double>(query.position_or_segment) - static_cast<double>(key.position_or_segment));
    });
    return ops.times(ops.constant(distances), ops.head_constant(biases::slopes(sizes.heads)));
  }
  bool operator==(const Alibi&) const = default;
};

/// A free bias for each distance and each head, of all layers or of each.
/// Source: Chen et al. 2021, DIET-REL
struct DietRelative {
  static constexpr std::string_view kName = "diet_relative";
  static constexpr bool kByDistance = true;
  static constexpr const char* kRows = "relative_bias.weight";

  bool per_layer = false;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("per_layer", self.per_layer);
  }
  void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) const {
    if (per_layer) contract.matrix(kRows, 2 * sizes.positions_or_segments - 1, sizes.heads);
  }
  void add_shared_parameters(Contract& contract, const AttentionSizes& sizes) const {
    if (!per_layer) contract.matrix(kRows, 2 * sizes.positions_or_segments - 1, sizes.heads);
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value bias(Ops& ops, const QueryKeyTokens& tokens, const AttentionSizes& sizes,
                                         double) const {
    const auto middle = static_cast<int64_t>(sizes.positions_or_segments) - 1;
    return ops.spread(ops.head_columns(ops.parameter(kRows)),
                      of_each_distance(tokens, [middle](int64_t distance) { return distance + middle; }));
  }
  bool operator==(const DietRelative&) const = default;
};

/// A free bias for each pair of positions, or segments, and each head, of all layers or of each.
/// Source: Chen et al. 2021, section 3: what DIET does with segments
struct PairBias {
  static constexpr std::string_view kName = "pair_bias";
  static constexpr const char* kRows = "pair_bias.weight";

  bool per_layer = false;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("per_layer", self.per_layer);
  }
  /// 4096 positions: what no file holds must not be asked of one.
  [[nodiscard]] std::string fault(const AttentionSizes& sizes) const {
    return sizes.positions_or_segments <= 4096
               ? ""
               : fmt::format("kind: expected at most 4096 to pair with each other, got {}",
                             sizes.positions_or_segments);
  }
  void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) const {
    if (per_layer) contract.matrix(kRows, sizes.positions_or_segments * sizes.positions_or_segments, sizes.heads);
  }
  void add_shared_parameters(Contract& contract, const AttentionSizes& sizes) const {
    if (!per_layer) contract.matrix(kRows, sizes.positions_or_segments * sizes.positions_or_segments, sizes.heads);
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value bias(Ops& ops, const QueryKeyTokens& tokens, const AttentionSizes& sizes,
                                         double) const {
    const auto count = static_cast<int32_t>(sizes.positions_or_segments);
    return ops.spread(ops.head_columns(ops.parameter(kRows)),
                      of_each_pair<int32_t>(tokens, [count](const TokenInText& query, const TokenInText& key) {
                        return query.position_or_segment * count + key.position_or_segment;
                      }));
  }
  bool operator==(const PairBias&) const = default;
};

}  // namespace summand::model
