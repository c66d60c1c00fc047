#pragma once

#include <cstddef>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/destination.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/simd/row_kernels.hpp"

namespace summand::engine::simd {

// Products of bf16 by fused multiply-adds in single precision, to the bits of VDPBF16PS: where that instruction is
// missing, or slower than two fused multiply-adds. Weights stay in 16 bits; rows are widened, some at a time, before
// all panels pass them.

/// Of a file of its own: inline functions of other headers are shared with files that are compiled for other
/// processors.
template <class V>
float float_of(Half number) {
  const uint32_t bits = static_cast<uint32_t>(number.bits) << 16U;
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/// HalfProductTask with rows that may be floats of the same numbers.
template <class Row>
struct PairedTask {
  const Row* rows;
  size_t row_stride;
  size_t row_count;
  size_t depth;
  const Half* panels;
  const float* bias;
  const float* row_factors;
  size_t columns;
  Destination out;
};

/// Adds the second product of each pair first, each with one rounding (Intel's manual, volume 2, VDPBF16PS).
template <class V, class Format, class Row>
struct Bf16ByFma {
  using Task = PairedTask<Row>;
  using Total = V;
  static constexpr size_t kPerStep = 2;

  struct Pair {
    V first;
    V second;
  };

  static size_t steps(const Task& task) { return task.depth / kPerStep; }
  static Pair weights(const Half* from) { return {V::load_firsts(from), V::load_seconds(from)}; }
  static Pair same(const float* from) { return {V::all(from[0]), V::all(from[1])}; }
  static Pair same(const Half* from) { return {V::all(float_of<V>(from[0])), V::all(float_of<V>(from[1]))}; }
  static Total start(const Task& task, size_t column) {
    return task.bias == nullptr ? V::zero() : V::load(task.bias + column);
  }
  static Total add(Total total, Pair value, Pair weight) {
    return fused(value.first, weight.first, fused(value.second, weight.second, total));
  }
  static V finish(const Task& task, size_t row, size_t, Total total) {
    return task.row_factors == nullptr ? total : total * V::all(task.row_factors[row]);
  }
  static void store(const Task& task, size_t row, size_t column, size_t left, V values) {
    store_to<Format>(task.out, row, column, left, values);
  }
};

/// to = floats of the numbers
template <class V>
void widen(const Half* from, size_t count, float* to) {
  size_t i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth) V::load_bf16(from + i).store(to + i);
  for (; i < count; ++i) to[i] = float_of<V>(from[i]);
}

template <class V, class Format, size_t Rows, size_t Panels, class Row>
[[gnu::noinline]] void multiply_some(const PairedTask<Row>& task) {
  product<Bf16ByFma<V, Format, Row>, V, Rows, Panels>(task);
}

/// @tparam Flush  lives while denormals count as zeros on this thread
/// @tparam Rows, Panels  of a tile in registers
template <class V, class Format, class Flush, size_t Rows, size_t Panels>
void bf16_product(const HalfProductTask& task) {
  constexpr size_t kRoom = 32768;  // numbers of rows that are widened
  const Flush flush;
  const auto rows_from = [&]<class Row>(const Row* rows, size_t stride, size_t first, size_t count) {
    return PairedTask<Row>{rows,
                           stride,
                           count,
                           task.depth,
                           task.panels,
                           task.bias,
                           task.row_factors == nullptr ? nullptr : task.row_factors + first,
                           task.columns,
                           from_row(task.out, first)};
  };
  if (task.depth > kRoom) {
    return multiply_some<V, Format, Rows, Panels>(rows_from(task.rows, task.row_stride, 0, task.row_count));
  }
  alignas(64) float wide[kRoom];
  const size_t fit = kRoom / task.depth;
  const size_t most = fit < Rows ? fit : Rows;
  size_t first = 0;
  for (size_t tiles = (task.row_count + most - 1) / most; tiles > 0; --tiles) {
    const size_t count = (task.row_count - first + tiles - 1) / tiles;
    for (size_t row = 0; row < count; ++row)
      widen<V>(task.rows + (first + row) * task.row_stride, task.depth, wide + row * task.depth);
    multiply_some<V, Format, Rows, Panels>(rows_from(wide, task.depth, first, count));
    first += count;
  }
}

}  // namespace summand::engine::simd
