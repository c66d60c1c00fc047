#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace summand::engine::simd {

/// Sixteen floats. See avx2::Floats, which has the same members.
/// @tparam Isa  a type of the kernels file that uses them: what one file instantiates with its flags, no other shares
template <class Isa>
struct Floats16 {
  using Floats = Floats16;

  static constexpr size_t kWidth = 16;

  __m512 lanes;

  static Floats zero() { return {_mm512_setzero_ps()}; }
  static Floats all(float value) { return {_mm512_set1_ps(value)}; }
  static Floats load(const float* from) { return {_mm512_loadu_ps(from)}; }
  static Floats load_first(const float* from, size_t count) { return {_mm512_maskz_loadu_ps(mask(count), from)}; }
  /// Consecutive bf16 as floats.
  static Floats load_bf16(const void* from) {
    const __m256i halves = _mm256_loadu_si256(static_cast<const __m256i*>(from));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16))};
  }
  /// The first of each pair of consecutive bf16, as floats.
  static Floats load_firsts(const void* from) {
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(from), 16))};
  }
  /// The second of each pair.
  static Floats load_seconds(const void* from) {
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
    return {_mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512(from), upper))};
  }
  /// of - less · factor, in 32 bits, as floats
  static Floats of_integers_less(const int32_t* of, const int32_t* less, int32_t factor) {
    return of_integers_less(_mm512_loadu_si512(of), less, factor);
  }
  static Floats of_integers_less(__m512i of, const int32_t* less, int32_t factor) {
    const __m512i product = _mm512_mullo_epi32(_mm512_loadu_si512(less), _mm512_set1_epi32(factor));
    return {_mm512_cvtepi32_ps(_mm512_sub_epi32(of, product))};
  }
  void store(float* to) const { _mm512_storeu_ps(to, lanes); }
  void store_first(float* to, size_t count) const { _mm512_mask_storeu_ps(to, mask(count), lanes); }

  Floats keep_first(size_t count, Floats rest) const { return {_mm512_mask_blend_ps(mask(count), rest.lanes, lanes)}; }
  float sum() const {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(lanes), _mm512_extractf32x8_ps(lanes, 1));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  float smallest() const { return _mm512_reduce_min_ps(lanes); }
  /// The first `count` rounded to whole numbers, ties to even, and `zero` more, between 0 and 255.
  void store_bytes(uint8_t* to, size_t count, int32_t zero) const {
    const __m512i shifted = _mm512_add_epi32(_mm512_cvtps_epi32(lanes), _mm512_set1_epi32(zero));
    const __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_max_epi32(shifted, _mm512_setzero_si512()));
    _mm_mask_storeu_epi8(to, mask(count), bytes);
  }
  float largest() const { return _mm512_reduce_max_ps(lanes); }

  friend Floats operator+(Floats a, Floats b) { return {_mm512_add_ps(a.lanes, b.lanes)}; }
  friend Floats operator-(Floats a, Floats b) { return {_mm512_sub_ps(a.lanes, b.lanes)}; }
  friend Floats operator*(Floats a, Floats b) { return {_mm512_mul_ps(a.lanes, b.lanes)}; }
  friend Floats operator/(Floats a, Floats b) { return {_mm512_div_ps(a.lanes, b.lanes)}; }
  friend Floats fused(Floats a, Floats b, Floats c) { return {_mm512_fmadd_ps(a.lanes, b.lanes, c.lanes)}; }
  friend Floats fused_less(Floats a, Floats b, Floats c) { return {_mm512_fnmadd_ps(a.lanes, b.lanes, c.lanes)}; }
  friend Floats max(Floats a, Floats b) { return {_mm512_max_ps(a.lanes, b.lanes)}; }
  friend Floats min(Floats a, Floats b) { return {_mm512_min_ps(a.lanes, b.lanes)}; }
  friend Floats magnitude(Floats a) { return {_mm512_abs_ps(a.lanes)}; }
  friend Floats with_sign_of(Floats sign, Floats a) {
    const __m512 bit = _mm512_set1_ps(-0.0F);
    return {_mm512_or_ps(_mm512_and_ps(bit, sign.lanes), _mm512_andnot_ps(bit, a.lanes))};
  }
  friend Floats nearest(Floats a) {
    return {_mm512_roundscale_ps(a.lanes, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }
  friend Floats times_power_of_two(Floats a, Floats power) { return {_mm512_scalef_ps(a.lanes, power.lanes)}; }
  friend Floats where_less(Floats a, Floats b, Floats then, Floats otherwise) {
    return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.lanes, b.lanes, _CMP_LT_OQ), otherwise.lanes, then.lanes)};
  }

  /// Sums of neighbouring pairs of 32 lanes.
  friend Floats sums_of_pairs(Floats lower, Floats upper) {
    const __m512i first = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(1));
    return {_mm512_add_ps(_mm512_permutex2var_ps(lower.lanes, first, upper.lanes),
                          _mm512_permutex2var_ps(lower.lanes, second, upper.lanes))};
  }

  /// Exchanges lane i of row j with lane j of row i, in four rounds: of lanes, pairs, and halves of registers.
  static void transpose(Floats (&rows)[kWidth]) {
    __m512 other[kWidth];
#pragma GCC unroll 8
    for (size_t i = 0; i < 16; i += 2) {
      other[i] = _mm512_unpacklo_ps(rows[i].lanes, rows[i + 1].lanes);
      other[i + 1] = _mm512_unpackhi_ps(rows[i].lanes, rows[i + 1].lanes);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 16; i += 4) {
      rows[i].lanes = low_pairs(other[i], other[i + 2]);
      rows[i + 1].lanes = high_pairs(other[i], other[i + 2]);
      rows[i + 2].lanes = low_pairs(other[i + 1], other[i + 3]);
      rows[i + 3].lanes = high_pairs(other[i + 1], other[i + 3]);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) {
      other[i] = _mm512_shuffle_f32x4(rows[i].lanes, rows[i + 4].lanes, 0x88);
      other[i + 4] = _mm512_shuffle_f32x4(rows[i].lanes, rows[i + 4].lanes, 0xdd);
      other[i + 8] = _mm512_shuffle_f32x4(rows[i + 8].lanes, rows[i + 12].lanes, 0x88);
      other[i + 12] = _mm512_shuffle_f32x4(rows[i + 8].lanes, rows[i + 12].lanes, 0xdd);
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; ++i) {
      rows[i].lanes = _mm512_shuffle_f32x4(other[i], other[i + 8], 0x88);
      rows[i + 8].lanes = _mm512_shuffle_f32x4(other[i], other[i + 8], 0xdd);
    }
  }

  /// The first `count` lanes. @param count  0 … 16
  static __mmask16 mask(size_t count) {
    return static_cast<__mmask16>((1U << count) - 1U);
  }

 private:
  static __m512 low_pairs(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
  static __m512 high_pairs(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
};

}  // namespace summand::engine::simd
