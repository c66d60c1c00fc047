#include "engine/network.hpp"

#include <array>
#include <string>
#include <utility>

#include "base/thread_pool.hpp"
#include "engine/attention.hpp"
#include "model/parameters.hpp"

namespace summand::engine {

namespace {

PackedLinear packed(const model::Weights& weights, const std::string& name) {
  const std::array names{name};
  return {weights, names};
}

Linear packed(const Arithmetic& arithmetic, const model::Weights& weights, const std::string& name) {
  const std::array names{name};
  return {arithmetic, weights, names};
}

Linear packed_query_key_value(const Arithmetic& arithmetic, const model::Weights& weights, size_t layer) {
  const std::array names{model::layer_parameter(layer, "attention.self.query"),
                         model::layer_parameter(layer, "attention.self.key"),
                         model::layer_parameter(layer, "attention.self.value")};
  return {arithmetic, weights, names};
}

std::vector<EncoderLayer> packed_layers(const Arithmetic& arithmetic, const model::Config& config,
                                        const model::Weights& weights, int threads) {
  std::vector<std::optional<EncoderLayer>> packed(static_cast<size_t>(config.num_hidden_layers));
  ThreadPool::shared().run(packed.size(), threads,
                           [&](size_t layer, int) { packed[layer].emplace(arithmetic, config, weights, layer); });
  std::vector<EncoderLayer> layers;
  layers.reserve(packed.size());
  for (auto& layer : packed) layers.push_back(std::move(*layer));
  return layers;
}

std::optional<PackedLinear> packed_pooler(const model::Weights& weights) {
  if (!weights.contains("pooler.dense.weight")) return std::nullopt;
  return packed(weights, "pooler.dense");
}

}  // namespace

EncoderLayer::EncoderLayer(const Arithmetic& arithmetic, const model::Config& config, const model::Weights& weights,
                           size_t layer)
    : query_key_value(packed_query_key_value(arithmetic, weights, layer)),
      attention_output(packed(arithmetic, weights, model::layer_parameter(layer, "attention.output.dense"))),
      attention_norm(weights, model::layer_parameter(layer, "attention.output.LayerNorm"), config.layer_norm_eps),
      intermediate(packed(arithmetic, weights, model::layer_parameter(layer, "intermediate.dense"))),
      output(packed(arithmetic, weights, model::layer_parameter(layer, "output.dense"))),
      output_norm(weights, model::layer_parameter(layer, "output.LayerNorm"), config.layer_norm_eps) {}

Network::Network(const model::Config& model_config, const model::Weights& weights, const Arithmetic& how, int threads)
    : arithmetic(how),
      kernels(how.kernels),
      config(model_config),
      hidden(static_cast<size_t>(config.hidden_size)),
      heads(static_cast<size_t>(config.num_attention_heads)),
      head_size(static_cast<size_t>(config.head_size())),
      intermediate(static_cast<size_t>(config.intermediate_size)),
      embeddings(config, weights),
      layers(packed_layers(arithmetic, config, weights, threads)),
      pooler(packed_pooler(weights)),
      output_heads(config, weights) {}

void add_and_normalise(const Network& network, const LayerNorm& norm, MatrixView<const float> values,
                       MatrixView<float> residual) {
  network.kernels->normalise(norm.normalisation(), {.values = values.data(),
                                                    .value_stride = values.stride(),
                                                    .residual = residual.data(),
                                                    .residual_stride = residual.stride(),
                                                    .row_count = values.rows(),
                                                    .out = residual.data(),
                                                    .out_stride = residual.stride()});
}

void normalise(const Network& network, const LayerNorm& norm, MatrixView<float> values) {
  network.kernels->normalise(norm.normalisation(), {.values = values.data(),
                                                    .value_stride = values.stride(),
                                                    .row_count = values.rows(),
                                                    .out = values.data(),
                                                    .out_stride = values.stride()});
}

void activate(const Network& network, model::Activation activation, MatrixView<float> values) {
  network.kernels->activate(
      activation,
      {.values = values.data(), .stride = values.stride(), .row_count = values.rows(), .columns = values.columns()});
}

AttentionHead head_of(const Network& network, MatrixView<const float> query_key_value, MatrixView<float> context,
                      size_t head) {
  const size_t first = head * network.head_size;
  return {.query = query_key_value.middle_columns(first, network.head_size),
          .key = query_key_value.middle_columns(network.hidden + first, network.head_size),
          .value = query_key_value.middle_columns(2 * network.hidden + first, network.head_size),
          .context = context.middle_columns(first, network.head_size)};
}

}  // namespace summand::engine
