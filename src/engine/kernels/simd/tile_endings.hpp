#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/destination.hpp"

namespace summand::engine::simd {

// Final processing of the finished sums of a row.

template <class V, class Format>
void finish_sums(const HalfProductTask& task, size_t row, size_t column, const float* sums) {
  for (size_t i = 0; i < kPanelWidth && column + i < task.columns; i += V::kWidth) {
    V values = V::load(sums + i);
    if (task.row_factors != nullptr) values = values * V::all(task.row_factors[row]);
    if (task.bias != nullptr) values = values + V::load(task.bias + column + i);
    store_to<Format>(task.out, row, column + i, task.columns - column - i, values);
  }
}

/// Exact sums of products of bytes, scaled once. @param task  Int8ProductTask or one with its scales and bias
template <class V, class Task>
V scaled_sum(const Task& task, size_t row, size_t column, V sum) {
  const V scale = V::load(task.column_scales + column) * V::all(task.codes[row].scale);
  return fused(sum, scale, V::load(task.bias + column));
}

template <class V, class Format>
void finish_sums(const Int8ProductTask& task, size_t row, size_t column, const int32_t* sums) {
  for (size_t i = 0; i < kPanelWidth && column + i < task.columns; i += V::kWidth) {
    const size_t at = column + i;
    const V sum = V::of_integers_less(sums + i, task.column_sums + at, task.codes[row].zero);
    store_to<Format>(task.out, row, at, task.columns - at, scaled_sum(task, row, at, sum));
  }
}

}  // namespace summand::engine::simd
