#pragma once

#include <cstddef>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/coarse_math.hpp"
#include "engine/kernels/simd/row_kernels.hpp"

namespace summand::engine::simd {

// Operations on rows before a product in 16 bits. Format: as in destination.hpp.

template <class V, class Format>
void round(const RoundTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const values = task.values + row * task.stride;
    Half* const out = task.out + row * task.out_stride;
    for_each_vector<V>(task.columns, [&](size_t first, size_t count) {
      Format::store(out + first, count, load_up_to<V>(values + first, count));
    });
    for (size_t i = task.columns; i < task.padded; ++i) out[i] = {};
  }
}

template <class V, class Format>
void activate_and_round(model::Activation activation, const ActivateRoundTask& task) {
  with_coarse_activation<V>(activation, [&](auto function) {
    for (size_t row = 0; row < task.row_count; ++row) {
      const float* const values = task.values + row * task.stride;
      Half* const out = task.out + row * task.out_stride;
      for_each_vector<V>(task.columns, [&](size_t first, size_t count) {
        Format::store(out + first, count, function(load_up_to<V>(values + first, count)));
      });
    }
  });
}

/// Formats that numbers may overflow define kOverflows.
template <class Format>
concept Overflows = Format::kOverflows;

/// Zero, or NaN if a value is NaN or infinite.
template <class V>
float poison_of(const float* values, size_t length) {
  V poison = V::zero();
  for_each_vector<V>(length, [&](size_t first, size_t count) {
    poison = fused(load_up_to<V>(values + first, count), V::zero(), poison);
  });
  return poison.sum();
}

template <class V, class Format>
void weigh_row(const HalfSoftmaxTask& task, size_t row) {
  float* const scores = task.scores + row * task.stride;
  Half* const weights = task.weights + row * task.weight_stride;
  const bool biased = task.biases != nullptr;
  // A score that overflowed to −∞ would otherwise silently mask its token.
  float poison = 0;
  if constexpr (Overflows<Format>) poison = poison_of<V>(scores, task.length);
  const float largest = biased ? add_biases<V>(scores, task.biases[row], task.length, task.scale)
                               : largest_of<V>(scores, task.length, 1.0F);
  const V scale = V::all((biased ? 1.0F : task.scale) * kLog2E);
  const V ceiling = V::all(largest) * scale;
  V total = V::zero();
  for_each_vector<V>(task.length, [&](size_t first, size_t count) {
    const V weight = coarse_power_of_two(load_up_to<V>(scores + first, count) * scale - ceiling);
    Format::store(weights + first, count, weight);
    total = total + (count == V::kWidth ? weight : weight.keep_first(count, V::zero()));
  });
  for (size_t i = task.length; i < task.padded; ++i) weights[i] = {};
  task.factors[row] = 1.0F / (total.sum() + poison);
}

template <class V, class Format>
void softmax(const HalfSoftmaxTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) weigh_row<V, Format>(task, row);
}

}  // namespace summand::engine::simd
