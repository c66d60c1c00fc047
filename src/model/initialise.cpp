#include "model/initialise.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "model/parameters.hpp"
#include "model/principal_directions.hpp"
#include "model/tensor.hpp"

namespace summand::model {

namespace {

Matrix<double> drawn(const Parameter& parameter, const Config& config, uint64_t seed) {
  RandomStream stream(seed, "initialise: " + parameter.name);
  Matrix<double> values(1, elements(parameter));
  for (double& value : values.elements()) value = config.initializer_range * stream.normal();
  return values;
}

Matrix<double> constant(const Parameter& parameter, double number) {
  Matrix<double> values(1, elements(parameter));
  for (double& value : values.elements()) value = number;
  return values;
}

Matrix<double> frequencies(const Parameter& parameter) {
  Matrix<double> values = constant(parameter, 0);
  const auto count = static_cast<double>(values.columns());
  for (size_t i = 0; i < values.columns(); ++i) values(0, i) = std::pow(10000.0, -static_cast<double>(i) / count);
  return values;
}

Matrix<double> begun(const Parameter& parameter, const Config& config, uint64_t seed, const Weights& so_far) {
  switch (parameter.initialiser) {
    case Initialiser::normal:
    case Initialiser::fixed_normal:
      return drawn(parameter, config, seed);
    case Initialiser::zeros:
      return constant(parameter, 0);
    case Initialiser::ones:
      return constant(parameter, 1);
    case Initialiser::sinusoid_frequencies:
      return frequencies(parameter);
    case Initialiser::token_directions:
      return principal_directions(to_matrix<double>(so_far.at("embeddings.word_embeddings.weight")),
                                  parameter.shape.at(0));
  }
  __builtin_unreachable();
}

}  // namespace

Weights initialise(const Config& config, const ModelParts& parts, uint64_t seed) {
  Weights weights;
  for (const auto& parameter : parameters(config, parts)) {
    const auto values = begun(parameter, config, seed, weights);
    std::vector<float> floats(values.elements().begin(), values.elements().end());
    weights.set(parameter.name, tensor_of(DType::f32, parameter.shape, std::move(floats)));
  }
  return weights;
}

}  // namespace summand::model
