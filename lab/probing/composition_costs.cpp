#include "lab/probing/composition_costs.hpp"

#include <string>

#include "lab/core/localize.hpp"
#include "model/shape_ops.hpp"

namespace summand::lab {

LocalizedText words_of(const model::Composition& composition) {
  return localize("probing.compositions." + std::string(model::name_of(composition)));
}

double parameters_of(const model::Config& config) {
  double count = 0;
  for (const auto& parameter : model::parameters(config, {})) count += static_cast<double>(model::elements(parameter));
  return count;
}

double parameters_of(const model::Config& config, model::ParameterGroup part) {
  double count = 0;
  for (const auto& parameter : model::parameters(config, {})) {
    if (parameter.part == part) count += static_cast<double>(model::elements(parameter));
  }
  return count;
}

double operations_of(const model::Composition& composition, size_t hidden) {
  return model::shape_of(composition, model::own_parameters(composition, hidden), hidden).operations();
}

double operations_of_layers(const model::Config& config) {
  double count = 0;
  for (const auto& parameter : model::parameters(config, {})) {
    const bool matrix = parameter.part == model::ParameterGroup::encoder && parameter.shape.size() == 2;
    if (matrix) count += 2 * static_cast<double>(model::elements(parameter));
  }
  return count;
}

model::Config times_as_wide(model::Config config, int times) {
  config.hidden_size *= times;
  config.intermediate_size *= times;
  return config;
}

double parameters_of_thirds(const model::Config& config) {
  const double tables = parameters_of(config, model::ParameterGroup::token_table) +
                        parameters_of(config, model::ParameterGroup::position_table) +
                        parameters_of(config, model::ParameterGroup::segment_table);
  return parameters_of(config) - tables + tables / 3;
}

double own_parameters(model::Config config, const model::Composition& composition) {
  config.composition = composition;
  return parameters_of(config, model::ParameterGroup::composition);
}

}  // namespace summand::lab
