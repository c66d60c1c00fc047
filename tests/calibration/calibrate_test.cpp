#include "calibration/calibrate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "calibration/layer_inputs.hpp"
#include "model/parameters.hpp"
#include "model/quantization.hpp"
#include "reference/bert.hpp"
#include "support/random_model.hpp"

using namespace summand;
using namespace summand::calibration;

namespace {

model::Batch batch() {
  model::Batch batch;
  batch.add(std::vector<int32_t>{5, 9, 90, 3, 7}, std::vector<int32_t>{0, 0, 0, 1, 1});
  batch.add(std::vector<int32_t>{7}, std::vector<int32_t>{0});
  batch.add(std::vector<int32_t>{1, 96, 33, 2, 60, 4}, std::vector<int32_t>{0, 0, 0, 0, 1, 1});
  return batch;
}

struct Model {
  model::Config config = test::config_of({.layers = 3, .positions = 40});
  model::Weights weights = test::random_weights(config, model::Pooler::present, 3);
  engine::Engine engine{config, weights};
};

/// rows · weight^T + bias, in double.
double output(std::span<const float> row, const model::Weights& weights, const std::string& name, size_t column) {
  const auto weight = model::to_matrix<float>(weights.at(name + ".weight"));
  double total = model::to_floats(weights.at(name + ".bias"))[column];
  for (size_t k = 0; k < row.size(); ++k) total += double{row[k]} * weight(column, k);
  return total;
}

}  // namespace

TEST_CASE("what layers read is what the engine's products make their states of, whichever layers are asked for") {
  constexpr double kOfFloats = 1e-5;
  const Model model;
  const auto all = layer_inputs(model.engine, batch(), {0, 3});
  const auto last = layer_inputs(model.engine, batch(), {2, 3});
  CHECK(std::ranges::equal(last[0].hidden.elements(), all[2].hidden.elements()));
  CHECK(std::ranges::equal(last[0].intermediate.elements(), all[2].intermediate.elements()));
  const auto states = engine::hidden_states(model.engine, batch(), std::vector<size_t>{0, 1, 2});
  for (size_t layer = 0; layer < 3; ++layer) {
    for (size_t i = 0; i < states[layer].elements().size(); ++i) {
      CHECK(all[layer].hidden.elements()[i] == doctest::Approx(states[layer].elements()[i]).epsilon(kOfFloats));
    }
    const std::string name = model::layer_parameter(layer, "intermediate.dense");
    for (size_t column = 0; column < 37; ++column) {
      const double sum = output(all[layer].attended.row(7), model.weights, name, column);
      const double gelu = sum / 2 * (1 + std::erf(sum / std::sqrt(2.0)));
      CHECK(all[layer].intermediate(7, column) == doctest::Approx(gelu).epsilon(kOfFloats));
    }
  }
}

TEST_CASE("the encoder's weights come in 8 bits with factors, the same for queries, keys and values; the rest stays") {
  const Model model;
  const auto weights = calibrate({.engine = model.engine, .weights = model.weights, .batch = batch()});
  CHECK(weights.size() == model.weights.size());
  for (const auto& parameter : model::parameters(model.config, {.pooler = model::Pooler::present})) {
    CAPTURE(parameter.name);
    const model::Tensor& tensor = weights.at(parameter.name);
    CHECK(tensor.shape == parameter.shape);
    CHECK((tensor.dtype == model::DType::i8) == model::is_dense_weight(parameter));
    CHECK(tensor.column_factors.size() == (model::is_dense_weight(parameter) ? parameter.shape[1] : 0));
    const bool bias = parameter.name.ends_with("dense.bias") || parameter.name.ends_with("query.bias") ||
                      parameter.name.ends_with("key.bias") || parameter.name.ends_with("value.bias");
    if (tensor.dtype == model::DType::i8 || (bias && parameter.part == model::ParameterGroup::encoder)) continue;
    CHECK(std::ranges::equal(tensor.bytes, model.weights.at(parameter.name).bytes));
  }
  for (size_t layer = 0; layer < 3; ++layer) {
    const auto factors = [&](const char* kind) {
      return weights.at(model::layer_parameter(layer, std::string("attention.self.") + kind + ".weight"))
          .column_factors;
    };
    CHECK(factors("query") == factors("key"));
    CHECK(factors("query") == factors("value"));
  }
}

TEST_CASE("the mean of every output over the texts is what it was") {
  constexpr double kOfFloats = 1e-4;
  const Model model;
  const auto weights = calibrate({.engine = model.engine, .weights = model.weights, .batch = batch()});
  const auto inputs = layer_inputs(model.engine, batch(), {1, 2})[0];
  const std::pair<const char*, const Matrix<float>*> layers[] = {{"attention.self.value", &inputs.hidden},
                                                                 {"attention.output.dense", &inputs.context},
                                                                 {"intermediate.dense", &inputs.attended},
                                                                 {"output.dense", &inputs.intermediate}};
  for (const auto& [kind, rows] : layers) {
    const std::string name = model::layer_parameter(1, kind);
    for (size_t column = 0; column < 12; ++column) {
      double before = 0;
      double after = 0;
      for (size_t row = 0; row < rows->rows(); ++row) {
        before += output(rows->row(row), model.weights, name, column) / static_cast<double>(rows->rows());
        after += output(rows->row(row), weights, name, column) / static_cast<double>(rows->rows());
      }
      CHECK(std::abs(after - before) < kOfFloats);
    }
  }
}

TEST_CASE("any number of threads gives the same bits") {
  const Model model;
  const auto one = calibrate({.engine = model.engine, .weights = model.weights, .batch = batch(), .threads = 1});
  const auto several = calibrate({.engine = model.engine, .weights = model.weights, .batch = batch(), .threads = 4});
  for (const auto& [name, tensor] : one) {
    CHECK(std::ranges::equal(tensor.bytes, several.at(name).bytes));
    CHECK(tensor.row_scales == several.at(name).row_scales);
    CHECK(tensor.column_factors == several.at(name).column_factors);
  }
}

TEST_CASE("a model that adds parts of its input again is refused") {
  auto config = test::config_of({.positions = 40});
  config.per_layer_inputs.token = true;
  const auto weights = test::random_weights(config, model::Pooler::present, 3);
  const engine::Engine engine(config, weights);
  CHECK_THROWS_AS(static_cast<void>(calibrate({.engine = engine, .weights = weights, .batch = batch()})), ConfigError);
}
