#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/low_precision_kernels.hpp"

namespace summand::engine::generic {

namespace {

void store(const Destination& out, size_t row, size_t column, float value) {
  if (out.rounded != nullptr) {
    out.rounded[row * out.stride + column] = to_bf16(value);
  } else {
    out.floats[row * out.stride + column] = value;
  }
}

void product(const Bf16ProductTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const Bf16* const in = task.rows + row * task.row_stride;
    for (size_t column = 0; column < task.columns; ++column) {
      const Bf16* const panel = task.panels + column / kPanelWidth * kPanelWidth * task.depth;
      float total = task.bias == nullptr ? 0.0F : task.bias[column];
      for (size_t k = 0; k < task.depth; ++k) {
        const Bf16 weight = panel[(k / 2 * kPanelWidth + column % kPanelWidth) * 2 + k % 2];
        total += to_float(in[k]) * to_float(weight);
      }
      store(task.out, row, column, task.row_factors == nullptr ? total : total * task.row_factors[row]);
    }
  }
}

void round(const RoundTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    Bf16* const out = task.out + row * task.out_stride;
    for (size_t i = 0; i < task.columns; ++i) out[i] = to_bf16(task.values[row * task.stride + i]);
    if (task.columns % 2 != 0) out[task.columns] = {};
  }
}

void activate(model::Activation activation, const ActivateRoundTask& task) {
  kKernels.activate(activation, {task.values, task.stride, task.row_count, task.columns});
  for (size_t row = 0; row < task.row_count; ++row) {
    for (size_t i = 0; i < task.columns; ++i) {
      task.out[row * task.out_stride + i] = to_bf16(task.values[row * task.stride + i]);
    }
  }
}

void weigh(const WeighTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    float* const scores = task.scores + row * task.stride;
    Bf16* const weights = task.weights + row * task.weight_stride;
    add_biases(scores, task.biases == nullptr ? nullptr : task.biases[row], task.length, task.scale);
    const float largest = *std::max_element(scores, scores + task.length);
    float total = 0;
    for (size_t i = 0; i < task.length; ++i) {
      const float weight = std::exp(scores[i] - largest);
      weights[i] = to_bf16(weight);
      total += weight;
    }
    if (task.length % 2 != 0) weights[task.length] = {};
    task.factors[row] = 1.0F / total;
  }
}

void pack_keys(const PackTask& task) {
  const size_t depth = (task.head_size + 1) / 2 * 2;
  const size_t tokens = (task.length + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
  for (size_t token = 0; token < tokens; ++token) {
    Bf16* const panel = task.panels + token / kPanelWidth * kPanelWidth * depth;
    for (size_t k = 0; k < depth; ++k) {
      const bool exists = token < task.length && k < task.head_size;
      panel[(k / 2 * kPanelWidth + token % kPanelWidth) * 2 + k % 2] =
          exists ? task.rows[token * task.stride + k] : Bf16();
    }
  }
}

void pack_values(const PackTask& task) {
  const size_t depth = (task.length + 1) / 2 * 2;
  const size_t columns = (task.head_size + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
  for (size_t column = 0; column < columns; ++column) {
    Bf16* const panel = task.panels + column / kPanelWidth * kPanelWidth * depth;
    for (size_t token = 0; token < depth; ++token) {
      const bool exists = token < task.length && column < task.head_size;
      panel[(token / 2 * kPanelWidth + column % kPanelWidth) * 2 + token % 2] =
          exists ? task.rows[token * task.stride + column] : Bf16();
    }
  }
}

void product(const Int8ProductTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const uint8_t* const in = task.rows + row * task.row_stride;
    const RowCode code = task.codes[row];
    for (size_t column = 0; column < task.columns; ++column) {
      const int8_t* const panel = task.panels + column / kPanelWidth * kPanelWidth * task.depth;
      int32_t total = -code.zero * task.column_sums[column];
      for (size_t k = 0; k < task.depth; ++k) {
        total += int32_t{in[k]} * panel[(k / 4 * kPanelWidth + column % kPanelWidth) * 4 + k % 4];
      }
      const float scale = task.column_scales[column] * code.scale;
      store(task.out, row, column, std::fma(static_cast<float>(total), scale, task.bias[column]));
    }
  }
}

void quantise(const QuantiseTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const values = task.values + row * task.stride;
    uint8_t* const out = task.out + row * task.out_stride;
    float smallest = 0;
    float largest = 0;
    float poison = 0;
    for (size_t i = 0; i < task.columns; ++i) {
      smallest = std::min(smallest, values[i]);
      largest = std::max(largest, values[i]);
      poison += values[i] * 0;
    }
    const RowCode code = code_of_range(smallest, largest, poison);
    task.codes[row] = code;
    const float inverse = 1.0F / code.scale;
    for (size_t i = 0; i < task.columns; ++i) {
      const float byte = std::nearbyint(values[i] * inverse) + static_cast<float>(code.zero);
      out[i] = static_cast<uint8_t>(std::clamp(byte, 0.0F, 255.0F));
    }
    for (size_t i = task.columns; i % kBytesPerStep != 0; ++i) out[i] = 0;
  }
}

}  // namespace

const Bf16Kernels kBf16Kernels{product, round, activate, weigh, pack_keys, pack_values};
const Int8Kernels kInt8Kernels{product, quantise, kKernels.activate};

}  // namespace summand::engine::generic
