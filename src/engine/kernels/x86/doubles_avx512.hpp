#pragma once

#include <immintrin.h>

#include <cstddef>

#include "engine/kernels/x86/floats_avx512.hpp"

namespace summand::engine::simd {

/// Eight doubles: half of the numbers of a vector of floats. See avx2::Doubles, which has the same members.
/// @tparam Isa  as of Floats16
template <class Isa>
struct Doubles8 {
  using Doubles = Doubles8;

  static constexpr size_t kWidth = 8;

  __m512d lanes;

  static Doubles zero() { return {_mm512_setzero_pd()}; }
  static Doubles all(double value) { return {_mm512_set1_pd(value)}; }
  static Doubles load(const double* from) { return {_mm512_loadu_pd(from)}; }
  static Doubles first_half(Floats16<Isa> floats) { return {_mm512_cvtps_pd(_mm512_castps512_ps256(floats.lanes))}; }
  static Doubles second_half(Floats16<Isa> floats) {
    return {_mm512_cvtps_pd(_mm512_extractf32x8_ps(floats.lanes, 1))};
  }
  void store(double* to) const { _mm512_storeu_pd(to, lanes); }

  friend Doubles fused(Doubles a, Doubles b, Doubles c) { return {_mm512_fmadd_pd(a.lanes, b.lanes, c.lanes)}; }
  friend Doubles plus(Doubles a, Doubles b) { return {_mm512_add_pd(a.lanes, b.lanes)}; }
  friend Doubles minus(Doubles a, Doubles b) { return {_mm512_sub_pd(a.lanes, b.lanes)}; }
  friend Doubles absolute(Doubles a) { return {_mm512_abs_pd(a.lanes)}; }
};

}  // namespace summand::engine::simd
