#include <cstddef>

#include "engine/kernels/simd/coarse_math.hpp"
#include "engine/kernels/simd/converted_rows.hpp"
#include "engine/kernels/simd/quantise.hpp"
#include "engine/kernels/x86/int8_avx2.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx2 {

namespace {

/// Products of numbers of 16 bits, summed in pairs in 32 (VPMADDWD): exact, where VPMADDUBSW, which multiplies bytes,
/// saturates its sums at 16 bits.
struct Int8Product : Int8Ending<simd::ConvertedTask<int16_t, int16_t>> {
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

void product(const Int8ProductTask& task) {
  simd::converted_product<Int8Product, Floats, 4>(task, reinterpret_cast<const int16_t*>(task.panels), widen);
}

}  // namespace

void quantise(const QuantiseTask& task) {
  simd::quantise<Floats>(task);
}

// 4 rows times one panel of 16: 8 of the 16 registers hold totals; of more GCC 12 keeps some in memory.
const Int8Kernels kInt8Kernels{
    {.per_step = 2, .depth_multiple = 2}, product, quantise, simd::coarsely_activate<Floats>, sizeof(int16_t)};

}  // namespace summand::engine::avx2
