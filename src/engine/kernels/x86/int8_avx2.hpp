#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/destination.hpp"
#include "engine/kernels/simd/tile_endings.hpp"
#include "engine/kernels/x86/bf16_format_avx2.hpp"
#include "engine/kernels/x86/floats_avx2.hpp"

namespace summand::engine::avx2 {

/// Common ending of products of bytes with eight 32-bit totals per register.
template <class TaskOf>
struct Int8Ending {
  using Task = TaskOf;
  using Total = __m256i;
  static constexpr size_t kPerStep = 4;

  static size_t steps(const Task& task) { return task.depth / kPerStep; }
  static Total start(const Task&, size_t) { return _mm256_setzero_si256(); }
  static Floats finish(const Task& task, size_t row, size_t column, Total total) {
    const Floats sum = Floats::of_integers_less(total, task.column_sums + column, task.codes[row].zero);
    return simd::scaled_sum(task, row, column, sum);
  }
  static void store(const Task& task, size_t row, size_t column, size_t left, Floats values) {
    simd::store_to<Bf16Format>(task.out, row, column, left, values);
  }
};

}  // namespace summand::engine::avx2
