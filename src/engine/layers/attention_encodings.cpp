#include "engine/layers/attention_encodings.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "model/quantization.hpp"

namespace summand::engine {

namespace {

/// One query at the last position or segment, and keys at every distance from it.
model::QueryKeyTokens every_distance(size_t count) {
  model::QueryKeyTokens tokens;
  tokens.queries.push_back({.position_or_segment = static_cast<int32_t>(count - 1), .index = 0});
  for (size_t key = 0; key < 2 * count - 1; ++key)
    tokens.keys.push_back({.position_or_segment = static_cast<int32_t>(key), .index = 0});
  return tokens;
}

/// The layer's own maps, where an encoding reads them, as they are in 8 bits: those that tokens pass through.
void round_maps(model::AttentionParameters<float>& parameters, const model::Weights& weights,
                const std::string& prefix) {
  for (const auto* map : {"query", "key", "value"}) {
    const auto found = parameters.find(std::string(map) + ".weight");
    if (found == parameters.end()) continue;
    const bool own = weights.contains(prefix + found->first);
    const auto rounded = model::quantize_weight(weights.at(prefix + (own ? found->first : "query.weight")));
    for (size_t i = 0; i < rounded.values.size(); ++i) {
      found->second.elements()[i] = rounded.scales[i / rounded.in] * static_cast<float>(rounded.values[i]);
    }
  }
}

bool needs_floats(const model::AttentionKind& kind) {
  const bool on_the_way = model::is_by_distance(kind) || std::holds_alternative<model::Rotary>(kind);
  return !on_the_way && !std::holds_alternative<model::NotInAttention>(kind);
}

}  // namespace

AttentionEncodings::AttentionEncodings(const Arithmetic& arithmetic, const model::Config& config,
                                       const model::Weights& weights)
    : kernels_(*arithmetic.kernels),
      precision_(arithmetic.precision),
      head_count_(static_cast<size_t>(config.num_attention_heads)),
      head_size_(static_cast<size_t>(config.head_size())),
      layers_(static_cast<size_t>(config.num_hidden_layers)),
      epsilon_(config.layer_norm_eps),
      scale_(config.score_scale()),
      causal_(config.attention.causal),
      need_floats_(causal_) {
  bool rotates = false;
  for (const auto& encoding : config.encodings_in_attention()) {
    Encoding& added = encodings_.emplace_back();
    added.encoding = encoding;
    read(added, weights);
    need_floats_ |= needs_floats(encoding.kind);
    rotates |= std::holds_alternative<model::Rotary>(encoding.kind);
  }
  if (rotates && !need_floats_) rotations_.emplace(config);
  for (Encoding& one : encodings_) one.by_formula = one.by_distance.empty() && !rotations_;
}

void AttentionEncodings::read(Encoding& added, const model::Weights& weights) {
  added.shared = model::shared_parameters_of<float>(added.encoding, weights);
  for (size_t layer = 0; layer < layers_; ++layer) {
    added.layers.push_back(model::layer_parameters_of<float>(added.encoding, weights, layer));
    if (precision_ == Precision::int8) round_maps(added.layers.back(), weights, model::attention_prefix(layer));
  }
  if (model::is_by_distance(added.encoding.kind)) {
    const bool shared = added.layers.empty() || added.layers.front().empty();
    const model::QueryKeyTokens tokens = every_distance(added.encoding.sizes.positions_or_segments);
    const Matrix<float> nothing;
    for (size_t layer = 0; layer < (shared ? std::min<size_t>(layers_, 1) : layers_); ++layer) {
      for (size_t head = 0; head < head_count_; ++head) {
        auto head_ops = ops(added, layer, head);
        const auto row = model::score_terms(added.encoding, head_ops, {nothing, nothing, scale_}, tokens);
        added.by_distance.emplace_back(row->elements().begin(), row->elements().end());
      }
    }
  }
}

KernelHeadOps AttentionEncodings::ops(const Encoding& encoding, size_t layer, size_t head) const {
  return {kernels_,
          {.shared = encoding.shared,
           .layer = encoding.layers[layer],
           .sizes = encoding.encoding.sizes,
           .epsilon = epsilon_},
          head};
}

}  // namespace summand::engine
