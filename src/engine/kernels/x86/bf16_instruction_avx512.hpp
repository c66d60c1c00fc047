#pragma once

#include <immintrin.h>

#include <cstddef>

#include "engine/kernels/number_formats.hpp"

namespace summand::engine::avx512_bf16 {

/// The nearest bf16 of each float, by the instruction for it.
/// @tparam V  Floats16 of the file that instantiates this
template <class V>
struct Bf16ByInstruction {
  static void store(Half* to, size_t count, V values) {
    const __m256bh rounded = _mm512_cvtneps_pbh(values.lanes);
    const auto bits = reinterpret_cast<const __m256i&>(rounded);
    if (count == V::kWidth) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bits);
    _mm256_mask_storeu_epi16(to, V::mask(count), bits);
  }
};

}  // namespace summand::engine::avx512_bf16
