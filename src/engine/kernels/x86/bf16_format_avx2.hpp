#pragma once

#include <immintrin.h>

#include <cstddef>

#include "engine/kernels/number_formats.hpp"
#include "engine/kernels/x86/floats_avx2.hpp"

namespace summand::engine::avx2 {

/// The nearest bf16 of each float, by integer arithmetic.
struct Bf16Format {
  static void store(Half* to, size_t count, Floats values) {
    const __m256i bits = _mm256_castps_si256(values.lanes);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x00400000));
    const __m256i no_number = _mm256_castps_si256(_mm256_cmp_ps(values.lanes, values.lanes, _CMP_UNORD_Q));
    const __m256i number = _mm256_blendv_epi8(rounded, quiet, no_number);
    const __m256 tiny = _mm256_cmp_ps(magnitude(values).lanes, _mm256_set1_ps(0x1p-126F), _CMP_LT_OQ);
    const __m256i sign = _mm256_and_si256(bits, _mm256_set1_epi32(INT32_MIN));
    const __m256i flushed = _mm256_blendv_epi8(number, sign, _mm256_castps_si256(tiny));
    // The upper halves of eight lanes, side by side.
    const __m256i upper = _mm256_srli_epi32(flushed, 16);
    const __m256i packed = _mm256_packus_epi32(upper, upper);
    const __m128i halves = _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08));
    if (count == Floats::kWidth) return _mm_storeu_si128(reinterpret_cast<__m128i*>(to), halves);
    alignas(16) Half all[Floats::kWidth];
    _mm_store_si128(reinterpret_cast<__m128i*>(all), halves);
    __builtin_memcpy(to, all, count * sizeof(Half));
  }
};

}  // namespace summand::engine::avx2
