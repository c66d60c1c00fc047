#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/number_formats.hpp"

namespace summand::engine::arm {

/// Four floats. See x86's avx2::Floats, which has the same members.
/// @tparam Isa  a type of the kernels file that uses them: what one file instantiates with its flags, no other shares
template <class Isa>
struct Floats4 {
  using Floats = Floats4;

  static constexpr size_t kWidth = 4;

  float32x4_t lanes;

  static Floats zero() { return {vdupq_n_f32(0)}; }
  static Floats all(float value) { return {vdupq_n_f32(value)}; }
  static Floats load(const float* from) { return {vld1q_f32(from)}; }
  /// @param count  0 … 4; the other lanes are zero and their memory is not touched
  static Floats load_first(const float* from, size_t count) {
    float some[kWidth] = {};
    __builtin_memcpy(some, from, count * sizeof(float));
    return load(some);
  }
  /// Consecutive bf16 as floats.
  static Floats load_bf16(const void* from) {
    return {vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(static_cast<const uint16_t*>(from)), 16))};
  }
  /// The first of each pair of consecutive bf16, as floats.
  static Floats load_firsts(const void* from) { return {vreinterpretq_f32_u32(vshlq_n_u32(load_words(from), 16))}; }
  /// The second of each pair.
  static Floats load_seconds(const void* from) {
    return {vreinterpretq_f32_u32(vandq_u32(load_words(from), vdupq_n_u32(0xffff0000U)))};
  }
  /// of - less · factor, in 32 bits, as floats
  static Floats of_integers_less(const int32_t* of, const int32_t* less, int32_t factor) {
    return of_integers_less(vld1q_s32(of), less, factor);
  }
  static Floats of_integers_less(int32x4_t of, const int32_t* less, int32_t factor) {
    return {vcvtq_f32_s32(vmlsq_n_s32(of, vld1q_s32(less), factor))};
  }
  void store(float* to) const { vst1q_f32(to, lanes); }
  void store_first(float* to, size_t count) const {
    float some[kWidth];
    store(some);
    __builtin_memcpy(to, some, count * sizeof(float));
  }
  /// The first `count` rounded to whole numbers, ties to even, and `zero` more, between 0 and 255.
  void store_bytes(uint8_t* to, size_t count, int32_t zero) const {
    const int32x4_t shifted = vqaddq_s32(vcvtnq_s32_f32(lanes), vdupq_n_s32(zero));
    const uint16x4_t words = vqmovun_s32(shifted);
    const uint8x8_t bytes = vqmovn_u16(vcombine_u16(words, words));
    uint8_t some[8];
    vst1_u8(some, bytes);
    __builtin_memcpy(to, some, count);
  }

  /// The first `count` lanes of this one, the others of `rest`.
  Floats keep_first(size_t count, Floats rest) const {
    static constexpr uint32_t kLanes[kWidth] = {0, 1, 2, 3};
    const uint32x4_t first = vcltq_u32(vld1q_u32(kLanes), vdupq_n_u32(static_cast<uint32_t>(count)));
    return {vbslq_f32(first, lanes, rest.lanes)};
  }
  float sum() const { return vaddvq_f32(lanes); }
  float smallest() const { return vminvq_f32(lanes); }
  float largest() const { return vmaxvq_f32(lanes); }

  friend Floats operator+(Floats a, Floats b) { return {vaddq_f32(a.lanes, b.lanes)}; }
  friend Floats operator-(Floats a, Floats b) { return {vsubq_f32(a.lanes, b.lanes)}; }
  friend Floats operator*(Floats a, Floats b) { return {vmulq_f32(a.lanes, b.lanes)}; }
  friend Floats operator/(Floats a, Floats b) { return {vdivq_f32(a.lanes, b.lanes)}; }
  /// a·b + c, rounded once.
  friend Floats fused(Floats a, Floats b, Floats c) { return {vfmaq_f32(c.lanes, a.lanes, b.lanes)}; }
  /// c - a·b, rounded once.
  friend Floats fused_less(Floats a, Floats b, Floats c) { return {vfmsq_f32(c.lanes, a.lanes, b.lanes)}; }
  /// b if either is NaN.
  friend Floats max(Floats a, Floats b) { return {vbslq_f32(vcgtq_f32(a.lanes, b.lanes), a.lanes, b.lanes)}; }
  /// b if either is NaN.
  friend Floats min(Floats a, Floats b) { return {vbslq_f32(vcltq_f32(a.lanes, b.lanes), a.lanes, b.lanes)}; }
  friend Floats magnitude(Floats a) { return {vabsq_f32(a.lanes)}; }
  friend Floats with_sign_of(Floats sign, Floats a) {
    return {vbslq_f32(vdupq_n_u32(0x80000000U), sign.lanes, a.lanes)};
  }
  friend Floats nearest(Floats a) { return {vrndnq_f32(a.lanes)}; }
  /// a · 2^power for a whole power of -250 … 250, in two steps so that results below the normal numbers come out.
  friend Floats times_power_of_two(Floats a, Floats power) {
    const int32x4_t whole = vcvtnq_s32_f32(power.lanes);
    const int32x4_t half = vshrq_n_s32(whole, 1);
    return {vmulq_f32(vmulq_f32(a.lanes, power_of_two(half)), power_of_two(vsubq_s32(whole, half)))};
  }
  friend Floats where_less(Floats a, Floats b, Floats then, Floats otherwise) {
    return {vbslq_f32(vcltq_f32(a.lanes, b.lanes), then.lanes, otherwise.lanes)};
  }

  /// Exchanges lane i of row j with lane j of row i: of lanes, then of pairs.
  static void transpose(Floats (&rows)[kWidth]) {
    const float32x4x2_t low = vtrnq_f32(rows[0].lanes, rows[1].lanes);
    const float32x4x2_t high = vtrnq_f32(rows[2].lanes, rows[3].lanes);
    rows[0].lanes = vcombine_f32(vget_low_f32(low.val[0]), vget_low_f32(high.val[0]));
    rows[1].lanes = vcombine_f32(vget_low_f32(low.val[1]), vget_low_f32(high.val[1]));
    rows[2].lanes = vcombine_f32(vget_high_f32(low.val[0]), vget_high_f32(high.val[0]));
    rows[3].lanes = vcombine_f32(vget_high_f32(low.val[1]), vget_high_f32(high.val[1]));
  }

 private:
  static uint32x4_t load_words(const void* from) {
    return vreinterpretq_u32_u8(vld1q_u8(static_cast<const uint8_t*>(from)));
  }
  static float32x4_t power_of_two(int32x4_t exponent) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(exponent, vdupq_n_s32(127)), 23));
  }
};

/// Two doubles: half of the numbers of a vector of floats.
template <class Isa>
struct Doubles2 {
  static constexpr size_t kWidth = 2;

  float64x2_t lanes;

  static Doubles2 zero() { return {vdupq_n_f64(0)}; }
  static Doubles2 all(double value) { return {vdupq_n_f64(value)}; }
  static Doubles2 load(const double* from) { return {vld1q_f64(from)}; }
  static Doubles2 first_half(Floats4<Isa> floats) { return {vcvt_f64_f32(vget_low_f32(floats.lanes))}; }
  static Doubles2 second_half(Floats4<Isa> floats) { return {vcvt_high_f64_f32(floats.lanes)}; }
  void store(double* to) const { vst1q_f64(to, lanes); }

  /// a·b + c, rounded once.
  friend Doubles2 fused(Doubles2 a, Doubles2 b, Doubles2 c) { return {vfmaq_f64(c.lanes, a.lanes, b.lanes)}; }
  friend Doubles2 plus(Doubles2 a, Doubles2 b) { return {vaddq_f64(a.lanes, b.lanes)}; }
  friend Doubles2 minus(Doubles2 a, Doubles2 b) { return {vsubq_f64(a.lanes, b.lanes)}; }
  friend Doubles2 absolute(Doubles2 a) { return {vabsq_f64(a.lanes)}; }
};

/// The nearest bf16 of each float, by integer arithmetic.
/// @tparam V  Floats4 of the file that instantiates this
template <class V>
struct Bf16Format {
  static void store(Half* to, size_t count, V values) {
    const uint32x4_t bits = vreinterpretq_u32_f32(values.lanes);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t rounded = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), odd);
    const uint32x4_t number = vceqq_f32(values.lanes, values.lanes);
    const uint32x4_t quiet = vbslq_u32(number, rounded, vorrq_u32(bits, vdupq_n_u32(0x00400000)));
    const uint32x4_t tiny = vcaltq_f32(values.lanes, vdupq_n_f32(0x1p-126F));
    const uint32x4_t flushed = vbslq_u32(tiny, vandq_u32(bits, vdupq_n_u32(0x80000000U)), quiet);
    const uint16x4_t halves = vshrn_n_u32(flushed, 16);
    if (count == V::kWidth) return vst1_u16(reinterpret_cast<uint16_t*>(to), halves);
    uint16_t some[V::kWidth];
    vst1_u16(some, halves);
    __builtin_memcpy(to, some, count * sizeof(Half));
  }
};

}  // namespace summand::engine::arm
