#include <cstddef>

#include "engine/kernels/simd/coarse_math.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/simd/quantise.hpp"
#include "engine/kernels/x86/int8_avx2.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx2 {

namespace {

/// Int8ProductTask with rows and weights of 16 bits.
struct WideTask {
  const int16_t* rows;
  size_t row_stride;
  const RowCode* codes;
  size_t row_count;
  size_t depth;
  const int16_t* panels;
  const float* column_scales;
  const int32_t* column_sums;
  const float* bias;
  size_t columns;
  Destination out;
};

/// Products of numbers of 16 bits, summed in pairs in 32 (VPMADDWD): exact, where VPMADDUBSW, which multiplies bytes,
/// saturates its sums at 16 bits.
struct Int8Product : Int8Ending<WideTask> {
  static constexpr size_t kPerStep = 2;

  static size_t steps(const Task& task) { return task.depth / kPerStep; }
  static __m256i weights(const int16_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static __m256i same(const int16_t* from) {
    int32_t pair;
    __builtin_memcpy(&pair, from, sizeof pair);
    return _mm256_set1_epi32(pair);
  }
  static Total add(Total total, __m256i value, __m256i weight) {
    return _mm256_add_epi32(total, _mm256_madd_epi16(value, weight));
  }
};

void widen(const uint8_t* from, size_t depth, int16_t* to) {
  size_t i = 0;
  for (; i + 16 <= depth; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_cvtepu8_epi16(bytes));
  }
  for (; i < depth; ++i) to[i] = from[i];
}

constexpr size_t kRows = 4;

/// Some rows at a time are widened, then all panels pass them.
void product(const Int8ProductTask& task) {
  alignas(32) int16_t wide[kLargestInt8Depth];
  const size_t fit = kLargestInt8Depth / task.depth;
  const size_t most = fit < kRows ? fit : kRows;
  for (size_t first = 0; first < task.row_count; first += most) {
    const size_t count = task.row_count - first < most ? task.row_count - first : most;
    for (size_t row = 0; row < count; ++row) {
      widen(task.rows + (first + row) * task.row_stride, task.depth, wide + row * task.depth);
    }
    simd::product<Int8Product, Floats, kRows, 1>(
        {wide,
         task.depth,
         task.codes + first,
         count,
         task.depth,
         reinterpret_cast<const int16_t*>(task.panels),
         task.column_scales,
         task.column_sums,
         task.bias,
         task.columns,
         {.floats = task.out.floats == nullptr ? nullptr : task.out.floats + first * task.out.stride,
          .rounded = task.out.rounded == nullptr ? nullptr : task.out.rounded + first * task.out.stride,
          .stride = task.out.stride}});
  }
}

}  // namespace

void quantise(const QuantiseTask& task) {
  simd::quantise<Floats>(task);
}

// 4 rows times one panel of 16: 8 of the 16 registers hold totals; of more GCC 12 keeps some in memory.
const Int8Kernels kInt8Kernels{
    {.per_step = 2, .depth_multiple = 2}, product, quantise, simd::coarsely_activate<Floats>, sizeof(int16_t)};

}  // namespace summand::engine::avx2
