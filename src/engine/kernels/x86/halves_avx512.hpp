#pragma once

#include <immintrin.h>

#include <cstddef>

#include "engine/kernels/number_formats.hpp"

namespace summand::engine::avx512_fp16 {

/// The nearest fp16 of each float, infinity beyond its range (VCVTPS2PH).
/// @tparam V  Floats16 of the file that instantiates this
template <class V>
struct Fp16Format {
  static constexpr bool kOverflows = true;
  static void store(Half* to, size_t count, V values) {
    const __m256i halves = _mm512_cvtps_ph(values.lanes, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    if (count == V::kWidth) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves);
    _mm256_mask_storeu_epi16(to, V::mask(count), halves);
  }
};

/// Thirty-two halves, as instructions (AVX512-FP16). Tests run the same kernels over a plain model, which has the same
/// members.
/// @tparam Isa  as in Floats16
template <class Isa>
struct Halves32 {
  __m512h lanes;

  static Halves32 zero() { return {_mm512_setzero_ph()}; }
  static Halves32 load(const Half* from) { return {_mm512_loadu_ph(from)}; }
  /// The pair that begins at `from`, sixteen times.
  static Halves32 all_pairs(const Half* from) {
    int32_t pair;
    __builtin_memcpy(&pair, from, sizeof pair);
    return {_mm512_castsi512_ph(_mm512_set1_epi32(pair))};
  }
  /// a·b + c, rounded once (VFMADD231PH).
  friend Halves32 fused(Halves32 a, Halves32 b, Halves32 c) { return {_mm512_fmadd_ph(a.lanes, b.lanes, c.lanes)}; }
};

/// The first sixteen as floats, exactly.
template <class V, class Isa>
V lower_floats(Halves32<Isa> halves) {
  return {_mm512_cvtph_ps(_mm512_castsi512_si256(_mm512_castph_si512(halves.lanes)))};
}
/// The other sixteen.
template <class V, class Isa>
V upper_floats(Halves32<Isa> halves) {
  return {_mm512_cvtph_ps(_mm512_extracti64x4_epi64(_mm512_castph_si512(halves.lanes), 1))};
}

}  // namespace summand::engine::avx512_fp16
