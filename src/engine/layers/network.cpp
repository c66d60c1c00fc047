#include "engine/layers/network.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/thread_pool.hpp"
#include "engine/layers/attention.hpp"
#include "model/parameters.hpp"
#include "model/tensor.hpp"

namespace summand::engine {

namespace {

/// The dense layers `names` of one layer, side by side.
Linear packed(const EncoderLayer::Source& source, size_t layer, std::initializer_list<std::string_view> names) {
  std::vector<std::string> parameters;
  for (const auto name : names) parameters.push_back(model::layer_parameter(layer, name));
  return {source.arithmetic, source.weights, parameters, source.store};
}

/// As a map, what leaves hidden states as they are. @return [width, width]
model::Tensor identity(size_t width) {
  std::vector<float> elements(width * width);
  for (size_t i = 0; i < width; ++i) elements[i * (width + 1)] = 1;
  return model::tensor_of(model::DType::f32, {width, width}, std::move(elements));
}

/// Queries, keys and values side by side; one that has no map is the hidden state.
Linear packed_maps(const EncoderLayer::Source& source, size_t layer) {
  const model::SelfAttention& attention = source.config.attention;
  const bool tied = attention.query_key == model::QueryKeyMaps::tied;
  const std::array names{"attention.self.query", tied ? "attention.self.query" : "attention.self.key",
                         "attention.self.value"};
  const auto weight = [&](const char* name) { return model::layer_parameter(layer, name) + ".weight"; };
  if (std::ranges::all_of(names, [&](const char* name) { return source.weights.contains(weight(name)); })) {
    return packed(source, layer, {names[0], names[1], names[2]});
  }
  const auto width = static_cast<size_t>(source.config.hidden_size);
  model::Weights completed = source.weights;
  const model::Tensor map = identity(width);
  const model::Tensor zeros = model::tensor_of(model::DType::f32, {width}, std::vector<float>(width));
  for (const char* name : names) {
    if (completed.contains(weight(name))) continue;
    completed.set(weight(name), map);
    completed.set(model::layer_parameter(layer, name) + ".bias", zeros);
  }
  return packed({source.arithmetic, source.config, completed, source.store}, layer, {names[0], names[1], names[2]});
}

LayerNorm norm(const EncoderLayer::Source& source, size_t layer, std::string_view name) {
  return {source.weights, model::layer_parameter(layer, name), source.config.layer_norm_eps};
}

std::vector<EncoderLayer> packed_layers(const EncoderLayer::Source& source, int threads) {
  std::vector<std::optional<EncoderLayer>> packed(static_cast<size_t>(source.config.num_hidden_layers));
  ThreadPool::shared().run(packed.size(), threads, [&](size_t layer, int) { packed[layer].emplace(source, layer); });
  std::vector<EncoderLayer> layers;
  layers.reserve(packed.size());
  for (auto& layer : packed) layers.push_back(std::move(*layer));
  return layers;
}

std::optional<PackedLinear> packed_pooler(const model::Weights& weights, PackedStore& store) {
  const std::array<std::string, 1> name{"pooler.dense"};
  if (!weights.contains(name.front() + ".weight")) return std::nullopt;
  return PackedLinear(weights, name, store);
}

std::unique_ptr<PackedStore> store_for(const Network::Building& how) {
  return how.packed ? std::make_unique<PackedStore>(*how.packed) : std::make_unique<PackedStore>();
}

}  // namespace

EncoderLayer::EncoderLayer(const Source& source, size_t layer)
    : query_key_value(packed_maps(source, layer)),
      attention_output(packed(source, layer, {"attention.output.dense"})),
      attention_norm(norm(source, layer, "attention.output.LayerNorm")),
      intermediate(packed(source, layer, {"intermediate.dense"})),
      output(packed(source, layer, {"output.dense"})),
      output_norm(norm(source, layer, "output.LayerNorm")) {}

Network::Network(const model::Config& model_config, const model::Weights& weights, const Building& how)
    : arithmetic(how.arithmetic),
      kernels(how.arithmetic.kernels),
      config(model_config),
      hidden(static_cast<size_t>(config.hidden_size)),
      heads(static_cast<size_t>(config.num_attention_heads)),
      head_size(static_cast<size_t>(config.head_size())),
      intermediate(static_cast<size_t>(config.intermediate_size)),
      encodings(arithmetic, config, weights),
      score_scale(static_cast<float>(config.score_scale())),
      embeddings(config, weights, how.largest_table_in_memory),
      packed(store_for(how)),
      layers(packed_layers({arithmetic, config, weights, *packed}, how.threads)),
      pooler(packed_pooler(weights, *packed)),
      output_heads(config, weights) {
  if (encodings.need_floats()) arithmetic.attention = Precision::fp32;
  // What was packed is needed no more; where the system's pages are large, small tensors brought their neighbours
  // along.
  for (const auto& [name, tensor] : weights) model::give_back(tensor);
}

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

}  // namespace summand::engine
