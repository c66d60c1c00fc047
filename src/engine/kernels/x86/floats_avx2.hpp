#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace summand::engine::avx2 {

/// Eight floats. The kernels of this folder are templates over such a type, one per instruction set; as every
/// instantiation carries the type's namespace in its name, the linker cannot mix them up.
struct Floats {
  static constexpr size_t kWidth = 8;

  __m256 lanes;

  static Floats zero() { return {_mm256_setzero_ps()}; }
  static Floats all(float value) { return {_mm256_set1_ps(value)}; }
  static Floats load(const float* from) { return {_mm256_loadu_ps(from)}; }
  /// @param count  0 … 8; the other lanes are zero and their memory is not touched
  static Floats load_first(const float* from, size_t count) { return {_mm256_maskload_ps(from, mask(count))}; }
  /// Consecutive bf16 as floats.
  static Floats load_bf16(const void* from) {
    const __m128i halves = _mm_loadu_si128(static_cast<const __m128i*>(from));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16))};
  }
  /// The first of each pair of consecutive bf16, as floats.
  static Floats load_firsts(const void* from) {
    const __m256i pairs = _mm256_loadu_si256(static_cast<const __m256i*>(from));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16))};
  }
  /// The second of each pair.
  static Floats load_seconds(const void* from) {
    const __m256i pairs = _mm256_loadu_si256(static_cast<const __m256i*>(from));
    return {_mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(static_cast<int>(0xffff0000U))))};
  }
  void store(float* to) const { _mm256_storeu_ps(to, lanes); }
  void store_first(float* to, size_t count) const { _mm256_maskstore_ps(to, mask(count), lanes); }

  /// The first `count` lanes of this one, the others of `rest`.
  Floats keep_first(size_t count, Floats rest) const {
    return {_mm256_blendv_ps(rest.lanes, lanes, _mm256_castsi256_ps(mask(count)))};
  }
  float sum() const {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  float smallest() const {
    const __m128 four = _mm_min_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
    const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
  }
  /// of - less · factor, in 32 bits, as floats
  static Floats of_integers_less(__m256i of, const int32_t* less, int32_t factor) {
    const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(less));
    return {_mm256_cvtepi32_ps(_mm256_sub_epi32(of, _mm256_mullo_epi32(from, _mm256_set1_epi32(factor))))};
  }
  /// The first `count` rounded to whole numbers, ties to even, and `zero` more, between 0 and 255.
  void store_bytes(uint8_t* to, size_t count, int32_t zero) const {
    const __m256i shifted = _mm256_add_epi32(_mm256_cvtps_epi32(lanes), _mm256_set1_epi32(zero));
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(shifted), _mm256_extracti128_si256(shifted, 1));
    const __m128i bytes = _mm_packus_epi16(words, words);
    if (count == kWidth) return _mm_storel_epi64(reinterpret_cast<__m128i*>(to), bytes);
    uint8_t all[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(all), bytes);
    __builtin_memcpy(to, all, count);
  }
  float largest() const {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }

  friend Floats operator+(Floats a, Floats b) { return {_mm256_add_ps(a.lanes, b.lanes)}; }
  friend Floats operator-(Floats a, Floats b) { return {_mm256_sub_ps(a.lanes, b.lanes)}; }
  friend Floats operator*(Floats a, Floats b) { return {_mm256_mul_ps(a.lanes, b.lanes)}; }
  friend Floats operator/(Floats a, Floats b) { return {_mm256_div_ps(a.lanes, b.lanes)}; }
  /// a·b + c, rounded once.
  friend Floats fused(Floats a, Floats b, Floats c) { return {_mm256_fmadd_ps(a.lanes, b.lanes, c.lanes)}; }
  /// c - a·b, rounded once.
  friend Floats fused_less(Floats a, Floats b, Floats c) { return {_mm256_fnmadd_ps(a.lanes, b.lanes, c.lanes)}; }
  /// b if either is NaN.
  friend Floats max(Floats a, Floats b) { return {_mm256_max_ps(a.lanes, b.lanes)}; }
  /// b if either is NaN.
  friend Floats min(Floats a, Floats b) { return {_mm256_min_ps(a.lanes, b.lanes)}; }
  friend Floats magnitude(Floats a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0F), a.lanes)}; }
  friend Floats with_sign_of(Floats sign, Floats a) {
    const __m256 bit = _mm256_set1_ps(-0.0F);
    return {_mm256_or_ps(_mm256_and_ps(bit, sign.lanes), _mm256_andnot_ps(bit, a.lanes))};
  }
  friend Floats nearest(Floats a) { return {_mm256_round_ps(a.lanes, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
  /// a · 2^power for a whole power of -250 … 250, in two steps so that results below the normal numbers come out.
  friend Floats times_power_of_two(Floats a, Floats power) {
    const __m256i whole = _mm256_cvtps_epi32(power.lanes);
    const __m256i half = _mm256_srai_epi32(whole, 1);
    const __m256 first = power_of_two(half);
    const __m256 second = power_of_two(_mm256_sub_epi32(whole, half));
    return {_mm256_mul_ps(_mm256_mul_ps(a.lanes, first), second)};
  }
  friend Floats where_less(Floats a, Floats b, Floats then, Floats otherwise) {
    return {_mm256_blendv_ps(otherwise.lanes, then.lanes, _mm256_cmp_ps(a.lanes, b.lanes, _CMP_LT_OQ))};
  }

  /// Exchanges lane i of row j with lane j of row i, in three rounds: of lanes, pairs, and halves of registers.
  static void transpose(Floats (&rows)[kWidth]) {
    __m256 other[kWidth];
#pragma GCC unroll 4
    for (size_t i = 0; i < 8; i += 2) {
      other[i] = _mm256_unpacklo_ps(rows[i].lanes, rows[i + 1].lanes);
      other[i + 1] = _mm256_unpackhi_ps(rows[i].lanes, rows[i + 1].lanes);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < 8; i += 4) {
      rows[i].lanes = low_pairs(other[i], other[i + 2]);
      rows[i + 1].lanes = high_pairs(other[i], other[i + 2]);
      rows[i + 2].lanes = low_pairs(other[i + 1], other[i + 3]);
      rows[i + 3].lanes = high_pairs(other[i + 1], other[i + 3]);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) {
      const __m256 low = rows[i].lanes;
      const __m256 high = rows[i + 4].lanes;
      rows[i].lanes = _mm256_permute2f128_ps(low, high, 0x20);
      rows[i + 4].lanes = _mm256_permute2f128_ps(low, high, 0x31);
    }
  }

 private:
  static __m256 low_pairs(__m256 a, __m256 b) {
    return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
  }
  static __m256 high_pairs(__m256 a, __m256 b) {
    return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
  }
  static __m256i mask(size_t count) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(count)), lane);
  }
  static __m256 power_of_two(__m256i exponent) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(exponent, _mm256_set1_epi32(127)), 23));
  }
};

}  // namespace summand::engine::avx2
