#pragma once

#include <cstddef>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/row_kernels.hpp"

namespace summand::engine::simd {

/// The smallest and the largest value of a row, zero included, and zero, or not a number if one of them is none.
struct RowRange {
  float smallest;
  float largest;
  float poison;
};

/// A row's values as they are, or times their columns' factors.
template <class V>
struct PlainValues {
  const float* values;

  [[nodiscard, gnu::always_inline]] V load(size_t first, size_t count) const {
    return load_up_to<V>(values + first, count);
  }
};
template <class V>
struct MultipliedValues {
  const float* values;
  const float* factors;

  [[nodiscard, gnu::always_inline]] V load(size_t first, size_t count) const {
    return load_up_to<V>(values + first, count) * load_up_to<V>(factors + first, count);
  }
};

template <class V, class Values>
RowRange range_of(const Values& values, size_t columns) {
  V smallest = V::zero();
  V largest = V::zero();
  V poison = V::zero();
  for_each_vector<V>(columns, [&](size_t first, size_t count) {
    const V value = values.load(first, count);
    smallest = min(value, smallest);
    largest = max(value, largest);
    poison = fused(value, V::zero(), poison);
  });
  return {smallest.smallest(), largest.largest(), poison.sum()};
}

template <class V, class Values>
void quantise_row(const QuantiseTask& task, size_t row, const Values& values) {
  uint8_t* const out = task.out + row * task.out_stride;
  const RowRange range = range_of<V>(values, task.columns);
  const RowCode code = code_of_range(range.smallest, range.largest, range.poison);
  task.codes[row] = code;
  const V inverse = V::all(1.0F / code.scale);
  for_each_vector<V>(task.columns, [&](size_t first, size_t count) {
    (values.load(first, count) * inverse).store_bytes(out + first, count, code.zero);
  });
  for (size_t i = task.columns; i < task.padded; ++i) out[i] = 0;
}

template <class V>
void quantise(const QuantiseTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const values = task.values + row * task.stride;
    if (task.factors == nullptr) {
      quantise_row<V>(task, row, PlainValues<V>{values});
    } else {
      quantise_row<V>(task, row, MultipliedValues<V>{values, task.factors});
    }
  }
}

}  // namespace summand::engine::simd
