#include "train/finetune/layer_depth.hpp"

#include <cmath>
#include <string_view>

namespace summand::train {

int64_t depth_of(const std::string& parameter, const model::Config& config) {
  constexpr std::string_view kLayer = "encoder.layer.";
  if (parameter.starts_with(kLayer)) return std::stoll(parameter.substr(kLayer.size())) + 1;
  const bool shared = parameter.starts_with("embeddings.") || parameter.starts_with("encoder.");
  return shared ? 0 : config.num_hidden_layers + 1;
}

RateFactor layer_rates(double decay, const model::Config& config) {
  if (decay == 1) return {};
  return [decay, config](const std::string& parameter) {
    return std::pow(decay, static_cast<double>(config.num_hidden_layers + 1 - depth_of(parameter, config)));
  };
}

void freeze(const Parameters& parameters, int64_t layers, const model::Config& config) {
  for (const auto& [name, tensor] : parameters.all()) {
    if (depth_of(name, config) <= layers) tensor.set_requires_grad(false);
  }
}

}  // namespace summand::train
