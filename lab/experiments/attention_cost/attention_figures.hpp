#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/core/experiment.hpp"
#include "lab/experiments/attention_cost/attention_times.hpp"
#include "lab/experiments/attention_cost/counted_attention.hpp"
#include "model/config.hpp"

namespace summand::lab {

inline constexpr size_t kShortText = 16;  // tokens

/// Operations of one layer for one text, a multiplication and an addition counted as two.
struct LayerOperations {
  double width = 0;
  double inner = 0;  ///< width of the feed-forward block

  [[nodiscard]] double own(double length) const { return 4 * length * length * width; }
  [[nodiscard]] double projections(double length) const { return 8 * length * width * width; }
  [[nodiscard]] double feed_forward(double length) const { return 4 * length * width * inner; }
  [[nodiscard]] double layer(double length) const { return own(length) + projections(length) + feed_forward(length); }
  [[nodiscard]] double share_of_sublayer(double length) const {
    return own(length) / (own(length) + projections(length));
  }
  [[nodiscard]] double share_of_layer(double length) const { return own(length) / layer(length); }
  /// The first length at which attention's own part is no less than the projections, found by counting on.
  [[nodiscard]] double crossing_sublayer() const {
    double length = 1;
    while (own(length) < projections(length)) ++length;
    return length;
  }
  /// The same against projections and feed-forward together.
  [[nodiscard]] double crossing_layer() const {
    double length = 1;
    while (own(length) < projections(length) + feed_forward(length)) ++length;
    return length;
  }
};

[[nodiscard]] LayerOperations layer_operations(const model::Config& config);

/// Random queries, keys and values, the same for the same sizes.
[[nodiscard]] AttentionInput input_of(const AttentionSize& size, const Conditions& conditions);
[[nodiscard]] AttentionCounts counts_of(const AttentionSize& size, HeadLayout layout, const Conditions& conditions);

/// Operations of a layer's parts by length.
[[nodiscard]] Figure operations_figure(const model::Config& config);
/// Milliseconds by length.
[[nodiscard]] Figure times_figure(const AttentionTimes& times);
/// Operations and milliseconds by the number of heads.
[[nodiscard]] Figure heads_figure(size_t width, const AttentionTimes& times, const Conditions& conditions);
/// Exponents of what was timed, as a remark.
[[nodiscard]] LocalizedText exponents_in_words(const AttentionTimes& times, uint64_t seed);

}  // namespace summand::lab
