#include "lab/experiments/self_match/replaced_maps.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "lab/probing/balanced_maps.hpp"
#include "lab/probing/norm_outputs.hpp"
#include "lab/statistics/surrogates.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr const char* kQuery = "attention.self.query";
constexpr const char* kKey = "attention.self.key";
constexpr const char* kValue = "attention.self.value";
constexpr const char* kOutput = "attention.output.dense";

size_t layers_of(const ChangedModel& model) {
  return static_cast<size_t>(model.config.num_hidden_layers);
}

/// Of inputs less the bias of the normalisation that they come from.
void set_map_of_deviations(ChangedModel& model, const NormOutputs& inputs, const std::string& name,
                           const Table& weight) {
  set_map(model, name, weight, -weight * inputs.bias());
}

/// As large as another map.
Table drawn_like(const Table& map, RandomStream& stream) {
  const double size = std::sqrt(map.squaredNorm() / static_cast<double>(map.size()));
  return size * white_noise({static_cast<size_t>(map.rows()), static_cast<size_t>(map.cols())}, stream);
}

}  // namespace

ChangedModel with_tied_maps(ChangedModel model) {
  for (size_t layer = 0; layer < layers_of(model); ++layer) {
    const BalancedLayer maps = balanced_layer(model, layer);
    for (const char* map : {kQuery, kKey}) {
      set_map(model, model::layer_parameter(layer, map), maps.query, maps.query_bias);
    }
  }
  return model;
}

ChangedModel with_random_maps(ChangedModel model, RandomStream& stream) {
  for (size_t layer = 0; layer < layers_of(model); ++layer) {
    const BalancedLayer maps = balanced_layer(model, layer);
    const NormOutputs inputs = attention_inputs(model.weights, layer);
    set_map_of_deviations(model, inputs, model::layer_parameter(layer, kQuery), drawn_like(maps.query, stream));
    set_map_of_deviations(model, inputs, model::layer_parameter(layer, kKey), drawn_like(maps.key, stream));
  }
  return model;
}

ChangedModel with_identity(ChangedModel model, Identity which, int64_t heads) {
  const auto hidden = static_cast<Index>(model.config.hidden_size);
  const Table identity = Table::Identity(hidden, hidden);
  for (size_t layer = 0; layer < layers_of(model); ++layer) {
    const auto name = [&](const char* map) { return model::layer_parameter(layer, map); };
    const NormOutputs inputs = attention_inputs(model.weights, layer);
    if (inputs.scale() == 0) continue;  // nothing differs there
    for (const char* map : {kQuery, kKey}) set_map_of_deviations(model, inputs, name(map), identity / inputs.scale());
    if (which != Identity::queries_keys_values) continue;
    set_map_of_deviations(model, inputs, name(kValue), identity);
    // What is added to them is taken likewise.
    set_map(model, name(kOutput), identity, -inputs.bias());
  }
  model.config.num_attention_heads = heads;
  return model;
}

ChangedModel first_layer_of(ChangedModel model) {
  model.config.num_hidden_layers = 1;
  return model;
}

}  // namespace summand::lab
