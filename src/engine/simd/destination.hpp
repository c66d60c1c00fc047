#pragma once

#include <immintrin.h>

#include <cstddef>

#include "engine/number_formats.hpp"

namespace summand::engine::simd {

/// Writes sixteen floats, or as many as are left, where a product's output goes.
/// @tparam Rounding  has round(V): the sixteen as bf16
template <class Rounding, class V>
void store_to(const Destination& out, size_t row, size_t column, size_t left, V values) {
  const size_t at = row * out.stride + column;
  if (out.rounded != nullptr) {
    const __m256i rounded = Rounding::round(values);
    if (left >= V::kWidth) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.rounded + at), rounded);
    return _mm256_mask_storeu_epi16(out.rounded + at, V::mask(left), rounded);
  }
  if (left >= V::kWidth) return values.store(out.floats + at);
  values.store_first(out.floats + at, left);
}

}  // namespace summand::engine::simd
