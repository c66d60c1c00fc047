#include "calibration/calibrate.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/matrix.hpp"
#include "base/matrix_view.hpp"
#include "base/range.hpp"
#include "base/thread_pool.hpp"
#include "calibration/compensated_rounding.hpp"
#include "calibration/input_factors.hpp"
#include "calibration/layer_inputs.hpp"
#include "calibration/second_moment.hpp"
#include "model/parameters.hpp"
#include "model/quantization.hpp"

namespace summand::calibration {

namespace {

/// Weight of the squared errors of queries and keys relative to those of values: they change only attention.
constexpr float kScoreImportance = 1.0F / 32;
/// Floats that are kept of layers' inputs at a time: 1 GiB.
constexpr size_t kMostKept = size_t{1} << 28U;

/// A dense layer.
struct Layer {
  std::string name;  // "encoder.layer.3.attention.self.query"
  float importance = 1;
};

/// Layers that read the same rows.
struct Product {
  std::vector<Layer> layers;
  MatrixView<const float> inputs;
};

/// What became of a layer.
struct Rounded {
  std::string name;
  model::Tensor weight;
  model::Tensor bias;
};

/// The layers that the weights have: a model may do without keys of its own.
std::vector<Layer> existing(const model::Weights& weights, size_t layer, std::span<const Layer> wanted) {
  std::vector<Layer> layers;
  for (const Layer& each : wanted) {
    const std::string name = model::layer_parameter(layer, each.name);
    if (weights.contains(name + ".weight")) layers.push_back({name, each.importance});
  }
  return layers;
}

std::vector<Product> products_of(const model::Weights& weights, size_t layer, const LayerInputs& inputs) {
  const std::vector<Layer> maps{{"attention.self.query", kScoreImportance},
                                {"attention.self.key", kScoreImportance},
                                {"attention.self.value", 1}};
  const std::vector<std::pair<std::vector<Layer>, const Matrix<float>*>> all{
      {maps, &inputs.hidden},
      {{{"attention.output.dense"}}, &inputs.context},
      {{{"intermediate.dense"}}, &inputs.attended},
      {{{"output.dense"}}, &inputs.intermediate}};
  std::vector<Product> products;
  for (const auto& [wanted, rows] : all) {
    auto layers = existing(weights, layer, wanted);
    if (!layers.empty()) products.push_back({std::move(layers), rows->view()});
  }
  return products;
}

/// All layers' weights below each other. @return [out of all, in]
Matrix<float> stacked(const Product& product, const model::Weights& weights, std::vector<float>& importances) {
  std::vector<float> elements;
  for (const Layer& layer : product.layers) {
    const model::Tensor& weight = weights.at(layer.name + ".weight");
    const auto own = model::to_floats(weight);
    elements.insert(elements.end(), own.begin(), own.end());
    importances.insert(importances.end(), weight.shape.at(0), layer.importance);
  }
  return {importances.size(), product.inputs.columns(), std::move(elements)};
}

model::Tensor as_tensor(model::QuantizedWeight weight, std::vector<float> factors) {
  model::Tensor tensor = model::tensor_of(model::DType::i8, {weight.out, weight.in}, std::move(weight.values));
  tensor.row_scales = std::move(weight.scales);
  tensor.column_factors = std::move(factors);
  return tensor;
}

/// The bias with which the outputs keep their means.
model::Tensor corrected(const model::Tensor& bias, MatrixView<const float> exact, MatrixView<const float> rounded,
                        std::span<const double> means) {
  auto values = model::to_floats(bias);
  for (size_t row = 0; row < values.size(); ++row) {
    double lost = 0;
    for (size_t k = 0; k < means.size(); ++k) lost += (double{exact(row, k)} - double{rounded(row, k)}) * means[k];
    values[row] = static_cast<float>(values[row] + lost);
  }
  return model::make_tensor({values.size()}, values);
}

std::vector<Rounded> rounded(const Product& product, const model::Weights& weights) {
  std::vector<float> importances;
  const Matrix<float> weight = stacked(product, weights, importances);
  const auto factors = input_factors({product.inputs, weight.view(), importances});
  const auto means = column_means(product.inputs);
  const CompensatedRounding rounding(covariance(product.inputs, factors));
  std::vector<Rounded> result;
  for (const Layer& layer : product.layers) {
    const auto exact = model::to_matrix<float>(weights.at(layer.name + ".weight"));
    Matrix<float> divided(exact.rows(), exact.columns());
    for (size_t row = 0; row < exact.rows(); ++row) {
      for (size_t k = 0; k < factors.size(); ++k) divided(row, k) = exact(row, k) / factors[k];
    }
    model::Tensor tensor = as_tensor(rounding.round(std::as_const(divided).view()), factors);
    const auto after = model::to_matrix<float>(tensor);
    model::Tensor bias = corrected(weights.at(layer.name + ".bias"), exact.view(), after.view(), means);
    result.push_back({layer.name, std::move(tensor), std::move(bias)});
  }
  return result;
}

size_t layers_at_a_time(const model::Config& config, const model::Batch& batch) {
  const auto columns = static_cast<size_t>(3 * config.hidden_size + config.intermediate_size);
  return std::max<size_t>(1, kMostKept / (columns * batch.tokens()));
}

}  // namespace

model::Weights calibrate(const CalibrationTask& task) {
  const model::Config& config = task.engine.config();
  SUMMAND_ASSERT(task.batch.tokens() > 0);
  if (config.per_layer_inputs.any()) {
    throw ConfigError("calibration", "expected a model that reads its input once, got one that adds parts of it again");
  }
  const auto layers = static_cast<size_t>(config.num_hidden_layers);
  const size_t at_a_time = layers_at_a_time(config, task.batch);
  model::Weights result = task.weights;
  for (size_t begin = 0; begin < layers; begin += at_a_time) {
    const Range range{begin, std::min(layers, begin + at_a_time)};
    const auto inputs = layer_inputs(task.engine, task.batch, range);
    std::vector<Product> products;
    for (size_t layer = range.begin; layer < range.end; ++layer) {
      std::ranges::move(products_of(task.weights, layer, inputs[layer - range.begin]), std::back_inserter(products));
    }
    std::vector<std::vector<Rounded>> results(products.size());
    ThreadPool::shared().run(products.size(), task.threads, [&](size_t index, int) {
      results[index] = rounded(products[index], task.weights);
      if (task.on_step) task.on_step();
    });
    for (auto& of_product : results) {
      for (auto& layer : of_product) {
        result.set(layer.name + ".weight", std::move(layer.weight));
        result.set(layer.name + ".bias", std::move(layer.bias));
      }
    }
  }
  return result;
}

}  // namespace summand::calibration
