#include <cstddef>

#include "engine/kernels/simd/coarse_math.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/simd/quantise.hpp"
#include "engine/kernels/x86/int8_avx2.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx2 {

namespace {

/// The four bytes of a step as numbers of 16 bits, the even ones and the odd ones.
struct WideFour {
  int16_t even[2];
  int16_t odd[2];
};

/// Int8ProductTask with rows that were widened: four bytes of a step became a WideFour.
struct WideTask {
  const int16_t* rows;
  size_t row_stride;  ///< in numbers of 16 bits
  const RowCode* codes;
  size_t row_count;
  size_t depth;
  const int8_t* panels;
  const float* column_scales;
  const int32_t* column_sums;
  const float* bias;
  size_t columns;
  Destination out;
};

/// Products of numbers of 16 bits, summed in pairs in 32 (VPMADDWD): exact, where VPMADDUBSW, which multiplies bytes,
/// saturates its sums at 16 bits.
struct Int8Product : Int8Ending<WideTask> {
  struct Pairs {
    __m256i even;
    __m256i odd;
  };
  static Pairs weights(const int8_t* from) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return {_mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8), _mm256_srai_epi16(bytes, 8)};
  }
  static Pairs same(const int16_t* from) {
    WideFour four;
    __builtin_memcpy(&four, from, sizeof four);
    int32_t even;
    int32_t odd;
    __builtin_memcpy(&even, four.even, sizeof even);
    __builtin_memcpy(&odd, four.odd, sizeof odd);
    return {_mm256_set1_epi32(even), _mm256_set1_epi32(odd)};
  }
  static Total add(Total total, Pairs value, Pairs weight) {
    const __m256i even = _mm256_madd_epi16(value.even, weight.even);
    const __m256i odd = _mm256_madd_epi16(value.odd, weight.odd);
    return _mm256_add_epi32(_mm256_add_epi32(total, even), odd);
  }
};

/// @param to  [depth], the order of WideFour
void widen(const uint8_t* from, size_t depth, int16_t* to) {
  size_t i = 0;
  // 0 2 1 3 of each four.
  const __m256i order = _mm256_setr_epi8(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15,  //
                                         0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15);
  for (; i + 16 <= depth; i += 16) {
    const __m256i words = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_shuffle_epi8(words, order));
  }
  for (; i < depth; i += 4) {
    const WideFour four{{from[i], from[i + 2]}, {from[i + 1], from[i + 3]}};
    __builtin_memcpy(to + i, &four, sizeof four);
  }
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
         task.panels,
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

// 4 rows times one panel of 16: 8 of the 16 registers hold totals, 4 weights.
const Int8Kernels kInt8Kernels{
    {.per_step = 4, .depth_multiple = 4}, product, quantise, simd::coarsely_activate<Floats>};

}  // namespace summand::engine::avx2
