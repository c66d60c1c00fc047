#pragma once

#include <immintrin.h>

#include <cstddef>

#include "engine/kernels/x86/floats_avx2.hpp"

namespace summand::engine::avx2 {

/// Four doubles: half of the numbers of a vector of floats.
struct Doubles {
  static constexpr size_t kWidth = 4;

  __m256d lanes;

  static Doubles zero() { return {_mm256_setzero_pd()}; }
  static Doubles all(double value) { return {_mm256_set1_pd(value)}; }
  static Doubles load(const double* from) { return {_mm256_loadu_pd(from)}; }
  static Doubles first_half(Floats floats) { return {_mm256_cvtps_pd(_mm256_castps256_ps128(floats.lanes))}; }
  static Doubles second_half(Floats floats) { return {_mm256_cvtps_pd(_mm256_extractf128_ps(floats.lanes, 1))}; }
  void store(double* to) const { _mm256_storeu_pd(to, lanes); }

  /// a·b + c, rounded once.
  friend Doubles fused(Doubles a, Doubles b, Doubles c) { return {_mm256_fmadd_pd(a.lanes, b.lanes, c.lanes)}; }
  friend Doubles plus(Doubles a, Doubles b) { return {_mm256_add_pd(a.lanes, b.lanes)}; }
  friend Doubles minus(Doubles a, Doubles b) { return {_mm256_sub_pd(a.lanes, b.lanes)}; }
  friend Doubles absolute(Doubles a) { return {_mm256_andnot_pd(_mm256_set1_pd(-0.0), a.lanes)}; }
};

}  // namespace summand::engine::avx2
