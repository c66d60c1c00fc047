#pragma once

#include <immintrin.h>

#include <cstddef>

#include "engine/kernels/number_formats.hpp"

namespace summand::engine::avx512 {

/// The nearest bf16 of each float, by integer arithmetic: of sets that have no instruction for it.
/// @tparam V  Floats16 of the file that instantiates this
template <class V>
struct Bf16ByIntegers {
  static void store(Half* to, size_t count, V values) {
    const __m512i bits = _mm512_castps_si512(values.lanes);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const __mmask16 no_number = _mm512_cmp_ps_mask(values.lanes, values.lanes, _CMP_UNORD_Q);
    const __m512i quiet = _mm512_mask_or_epi32(rounded, no_number, bits, _mm512_set1_epi32(0x00400000));
    const __mmask16 tiny = _mm512_cmp_ps_mask(magnitude(values).lanes, _mm512_set1_ps(0x1p-126F), _CMP_LT_OQ);
    const __m512i flushed = _mm512_mask_and_epi32(quiet, tiny, bits, _mm512_set1_epi32(INT32_MIN));
    const __m256i halves = _mm512_cvtepi32_epi16(_mm512_srli_epi32(flushed, 16));
    if (count == V::kWidth) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves);
    _mm256_mask_storeu_epi16(to, V::mask(count), halves);
  }
};

}  // namespace summand::engine::avx512
