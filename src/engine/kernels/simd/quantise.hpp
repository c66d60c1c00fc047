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

/// Some vectors at a time, so that none waits for the one before it: in which order they are looked at decides nothing.
template <class V, class Values>
RowRange range_of(const Values& values, size_t columns) {
  constexpr size_t kAtATime = 4;
  V smallest[kAtATime];
  V largest[kAtATime];
  V poison[kAtATime];
  for (size_t i = 0; i < kAtATime; ++i) smallest[i] = largest[i] = poison[i] = V::zero();
  const auto take = [&](size_t i, V value) {
    smallest[i] = min(value, smallest[i]);
    largest[i] = max(value, largest[i]);
    poison[i] = fused(value, V::zero(), poison[i]);
  };
  size_t first = 0;
  for (; first + kAtATime * V::kWidth <= columns; first += kAtATime * V::kWidth) {
#pragma GCC unroll 4
    for (size_t i = 0; i < kAtATime; ++i) take(i, values.load(first + i * V::kWidth, V::kWidth));
  }
  for_each_vector<V>(columns - first, [&](size_t at, size_t count) { take(0, values.load(first + at, count)); });
  for (size_t i = 1; i < kAtATime; ++i) {
    smallest[0] = min(smallest[i], smallest[0]);
    largest[0] = max(largest[i], largest[0]);
    poison[0] = poison[0] + poison[i];
  }
  return {smallest[0].smallest(), largest[0].largest(), poison[0].sum()};
}

template <class V, class Values>
void quantise_row(const QuantiseTask& task, size_t row, const Values& values) {
  uint8_t* const out = task.out + row * task.out_stride;
  const RowRange range = range_of<V>(values, task.columns);
  const RowQuantization code = code_of_range(range.smallest, range.largest, range.poison);
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
