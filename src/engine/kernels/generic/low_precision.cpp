#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/rounding.hpp"

namespace summand::engine::generic {

namespace {

constexpr PanelLayout kPairs{.per_step = 2, .depth_multiple = 2};
constexpr PanelLayout kFours{.per_step = 4, .depth_multiple = 4};

/// Writes element(k, column) wherever it exists, and zeros beyond.
struct Packing {
  size_t depth;    // that exists
  size_t columns;  // likewise
  PanelLayout layout;
  Half* panels;

  template <class Element>
  void write(Element element) const {
    const size_t whole_depth = layout.depth(depth);
    for (size_t column = 0; column < whole_panels(columns); ++column) {
      Half* const panel = panels + column / kPanelWidth * kPanelWidth * whole_depth;
      for (size_t k = 0; k < whole_depth; ++k) {
        const size_t step = k / layout.per_step * kPanelWidth + column % kPanelWidth;
        panel[step * layout.per_step + k % layout.per_step] =
            k < depth && column < columns ? element(k, column) : Half();
      }
    }
  }
};

struct Bf16 {
  static Half rounded(float value) { return to_bf16(value); }
  static float value(Half half) { return float_of_bf16(half); }
};

struct Fp16 {
  static Half rounded(float value) { return to_fp16(value); }
  static float value(Half half) { return float_of_fp16(half); }
};

template <class Format>
void store(const Destination& out, size_t row, size_t column, float value) {
  if (out.rounded != nullptr) {
    out.rounded[row * out.stride + column] = Format::rounded(value);
  } else {
    out.floats[row * out.stride + column] = value;
  }
}

template <class Format>
void half_product(const HalfProductTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const Half* const in = task.rows + row * task.row_stride;
    for (size_t column = 0; column < task.columns; ++column) {
      const Half* const panel = task.panels + column / kPanelWidth * kPanelWidth * task.depth;
      float total = task.bias == nullptr ? 0.0F : task.bias[column];
      for (size_t k = 0; k < task.depth; ++k) {
        const Half weight = panel[(k / 2 * kPanelWidth + column % kPanelWidth) * 2 + k % 2];
        total += Format::value(in[k]) * Format::value(weight);
      }
      store<Format>(task.out, row, column, task.row_factors == nullptr ? total : total * task.row_factors[row]);
    }
  }
}

template <class Format>
void round(const RoundTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    Half* const out = task.out + row * task.out_stride;
    for (size_t i = 0; i < task.columns; ++i) out[i] = Format::rounded(task.values[row * task.stride + i]);
    for (size_t i = task.columns; i < task.padded; ++i) out[i] = {};
  }
}

template <class Format>
void activate(model::Activation activation, const ActivateRoundTask& task) {
  kKernels.activate(activation, {task.values, task.stride, task.row_count, task.columns});
  for (size_t row = 0; row < task.row_count; ++row) {
    for (size_t i = 0; i < task.columns; ++i) {
      task.out[row * task.out_stride + i] = Format::rounded(task.values[row * task.stride + i]);
    }
  }
}

template <class Format>
void softmax(const HalfSoftmaxTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    float* const scores = task.scores + row * task.stride;
    Half* const weights = task.weights + row * task.weight_stride;
    float total = 0;  // not a number where a score overflowed
    for (size_t i = 0; i < task.length; ++i) total += scores[i] * 0.0F;
    add_biases(scores, task.biases == nullptr ? nullptr : task.biases[row], task.length, task.scale);
    const float largest = *std::max_element(scores, scores + task.length);
    for (size_t i = 0; i < task.length; ++i) {
      const float weight = std::exp(scores[i] - largest);
      weights[i] = Format::rounded(weight);
      total += weight;
    }
    for (size_t i = task.length; i < task.padded; ++i) weights[i] = {};
    task.factors[row] = 1.0F / total;
  }
}

void pack_keys(const PackTask& task) {
  generic::pack_keys(task, kPairs);
}
void pack_values(const PackTask& task) {
  generic::pack_values(task, kPairs);
}

void int8_product(const Int8ProductTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const uint8_t* const in = task.rows + row * task.row_stride;
    const RowQuantization code = task.codes[row];
    for (size_t column = 0; column < task.columns; ++column) {
      const int8_t* const panel = task.panels + column / kPanelWidth * kPanelWidth * task.depth;
      int32_t total = -code.zero * task.column_sums[column];
      for (size_t k = 0; k < task.depth; ++k) {
        total += int32_t{in[k]} * panel[(k / 4 * kPanelWidth + column % kPanelWidth) * 4 + k % 4];
      }
      const float scale = task.column_scales[column] * code.scale;
      store<Bf16>(task.out, row, column, std::fma(static_cast<float>(total), scale, task.bias[column]));
    }
  }
}

void quantise(const QuantiseTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const values = task.values + row * task.stride;
    uint8_t* const out = task.out + row * task.out_stride;
    const auto value = [&](size_t i) { return task.factors == nullptr ? values[i] : values[i] * task.factors[i]; };
    float smallest = 0;
    float largest = 0;
    float poison = 0;
    for (size_t i = 0; i < task.columns; ++i) {
      smallest = std::min(smallest, value(i));
      largest = std::max(largest, value(i));
      poison += value(i) * 0;
    }
    const RowQuantization code = code_of_range(smallest, largest, poison);
    task.codes[row] = code;
    const float inverse = 1.0F / code.scale;
    for (size_t i = 0; i < task.columns; ++i) {
      const float byte = std::nearbyint(value(i) * inverse) + static_cast<float>(code.zero);
      out[i] = static_cast<uint8_t>(std::clamp(byte, 0.0F, 255.0F));
    }
    for (size_t i = task.columns; i < task.padded; ++i) out[i] = 0;
  }
}

}  // namespace

void pack_keys(const PackTask& task, PanelLayout layout) {
  Packing{task.head_size, task.length, layout, task.panels}.write(
      [&](size_t k, size_t token) { return task.rows[token * task.stride + k]; });
}

void pack_values(const PackTask& task, PanelLayout layout) {
  Packing{task.length, task.head_size, layout, task.panels}.write(
      [&](size_t token, size_t column) { return task.rows[token * task.stride + column]; });
}

const HalfKernels kBf16Kernels{kPairs,         float_of_bf16, kLargestBf16, half_product<Bf16>, round<Bf16>,
                               activate<Bf16>, softmax<Bf16>, pack_keys,    pack_values};
const HalfKernels kFp16Kernels{kPairs,         float_of_fp16, kLargestFp16, half_product<Fp16>, round<Fp16>,
                               activate<Fp16>, softmax<Fp16>, pack_keys,    pack_values};
const Int8Kernels kInt8Kernels{kFours, int8_product, quantise, kKernels.activate};

}  // namespace summand::engine::generic
