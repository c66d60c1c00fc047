#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "engine/kernels/rounding.hpp"
#include "engine/kernels/single_precision.hpp"

namespace summand::engine::generic {

namespace {

/// Four floats in whatever registers the machine has. Without this type the compiler vectorises the sums below along
/// the wrong dimension.
using Four [[gnu::vector_size(4 * sizeof(float))]] = float;
constexpr size_t kFours = 2;
constexpr size_t kTileColumns = kFours * 4;

/// Some rows times half a panel.
template <size_t rows>
void product_tile(const ProductTask& task, size_t row, size_t column) {
  const float* const in = task.rows + row * task.row_stride;
  const float* const panel = task.panels + column / kPanelWidth * kPanelWidth * task.depth + column % kPanelWidth;
  Four totals[rows][kFours] = {};
  if (task.bias != nullptr) {
    for (auto& total : totals) std::memcpy(total, task.bias + column, sizeof total);
  }
  for (size_t k = 0; k < task.depth; ++k) {
    Four weights[kFours];
    std::memcpy(weights, panel + k * kPanelWidth, sizeof weights);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t i = 0; i < kFours; ++i) totals[r][i] += in[r * task.row_stride + k] * weights[i];
    }
  }
  const size_t columns = std::min(kTileColumns, task.columns - column);
  for (size_t r = 0; r < rows; ++r) {
    std::memcpy(task.out + (row + r) * task.out_stride + column, totals[r], columns * sizeof(float));
  }
}

void product(const ProductTask& task) {
  constexpr size_t kRows = 4;
  for (size_t column = 0; column < task.columns; column += kTileColumns) {
    size_t row = 0;
    for (; row + kRows <= task.row_count; row += kRows) product_tile<kRows>(task, row, column);
    for (; row < task.row_count; ++row) product_tile<1>(task, row, column);
  }
}

void normalise_row(const Normalisation& norm, float* row) {
  const auto width = static_cast<double>(norm.width);
  double total = 0;
  for (size_t i = 0; i < norm.width; ++i) total += static_cast<double>(row[i]);
  const double mean = total / width;
  double squares = 0;
  for (size_t i = 0; i < norm.width; ++i) {
    const double centred = static_cast<double>(row[i]) - mean;
    squares += centred * centred;
  }
  const double factor = 1.0 / std::sqrt(squares / width + norm.epsilon);
  for (size_t i = 0; i < norm.width; ++i) {
    row[i] = static_cast<float>((static_cast<double>(row[i]) - mean) * factor) * norm.weight[i] + norm.bias[i];
  }
}

void normalise(const Normalisation& norm, const NormaliseTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const values = task.values + row * task.value_stride;
    const float* const residual = task.residual + (task.residual == nullptr ? 0 : row * task.residual_stride);
    float* const out = task.out + row * task.out_stride;
    for (size_t i = 0; i < norm.width; ++i) out[i] = task.residual == nullptr ? values[i] : values[i] + residual[i];
    normalise_row(norm, out);
  }
}

const float* table_row(const float* table, int32_t index, size_t width) {
  return table + static_cast<size_t>(index) * width;
}

void embed(const Normalisation& norm, const EmbedTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const token = table_row(task.token_table, task.ids[row], norm.width);
    const float* const segment = table_row(task.segment_table, task.segments[row], norm.width);
    float* const out = task.out + row * task.out_stride;
    for (size_t i = 0; i < norm.width; ++i) out[i] = token[i] + segment[i];
    if (task.position_table != nullptr) {
      const float* const position = table_row(task.position_table, task.positions[row], norm.width);
      for (size_t i = 0; i < norm.width; ++i) out[i] += position[i];
    }
    normalise_row(norm, out);
  }
}

void softmax(const SoftmaxTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    float* const values = task.values + row * task.stride;
    add_biases(values, task.biases == nullptr ? nullptr : task.biases[row], task.length, task.scale);
    const float largest = *std::max_element(values, values + task.length);
    float total = 0;
    for (size_t i = 0; i < task.length; ++i) {
      values[i] = std::exp(values[i] - largest);
      total += values[i];
    }
    for (size_t i = 0; i < task.length; ++i) values[i] /= total;
  }
}

/// Source: Hendrycks & Gimpel 2016; torch.nn.functional.gelu with approximate="tanh" for the second form.
float gelu(float x) {
  constexpr float kRootHalf = 0.70710678118654752F;
  return 0.5F * x * std::erfc(-x * kRootHalf);
}
float gelu_tanh(float x) {
  constexpr float kRootTwoOverPi = 0.79788456080286536F;
  return 0.5F * x * (1.0F + std::tanh(kRootTwoOverPi * (x + 0.044715F * x * x * x)));
}

template <class Function>
void for_each_value(const ActivateTask& task, Function function) {
  for (size_t row = 0; row < task.row_count; ++row) {
    float* const values = task.values + row * task.stride;
    for (size_t i = 0; i < task.columns; ++i) values[i] = function(values[i]);
  }
}

void activate(model::Activation activation, const ActivateTask& task) {
  switch (activation) {
    case model::Activation::gelu:
      return for_each_value(task, gelu);
    case model::Activation::gelu_tanh:
      return for_each_value(task, gelu_tanh);
    case model::Activation::relu:
      return for_each_value(task, [](float x) { return x < 0 ? 0 : x; });
    case model::Activation::silu:
      return for_each_value(task, [](float x) { return x / (1.0F + std::exp(-x)); });
    case model::Activation::tanh:
      return for_each_value(task, [](float x) { return std::tanh(x); });
    case model::Activation::linear:
      return;
    case model::Activation::half:
      return for_each_value(task, [](float x) { return 0.5F * x; });
  }
}

void pack_keys(const PackKeysTask& task) {
  for (size_t token = 0; token < whole_panels(task.length); ++token) {
    float* const panel = task.panels + token / kPanelWidth * kPanelWidth * task.head_size;
    for (size_t k = 0; k < task.head_size; ++k) {
      panel[k * kPanelWidth + token % kPanelWidth] = token < task.length ? task.rows[token * task.stride + k] : 0.0F;
    }
  }
}

}  // namespace

void add_biases(float* values, const float* biases, size_t length, float scale) {
  for (size_t i = 0; i < length; ++i) values[i] = values[i] * scale + (biases == nullptr ? 0.0F : biases[i]);
}

const SinglePrecisionKernels kKernels{product, normalise, embed, softmax, activate, pack_keys};

}  // namespace summand::engine::generic
