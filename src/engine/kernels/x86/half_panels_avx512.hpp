#pragma once

#include <immintrin.h>

#include <cstddef>

#include "engine/kernels/low_precision.hpp"

namespace summand::engine::avx512 {

// One head's keys and values as panels of pairs, whatever the format of their 16 bits.

/// Steps [first, first + 16) of up to 16 tokens, one token a row, become rows of a panel, one step a row.
/// @tparam V  Floats16 of the file that instantiates this
template <class V>
void pack_key_block(const PackTask& task, size_t token, size_t first, size_t steps, Half* panel) {
  // The number after the head's last one belongs to another head or part.
  const size_t left = task.head_size > first * 2 ? task.head_size - first * 2 : 0;
  const auto used = static_cast<__mmask32>((uint64_t{1} << (left < 32 ? left : 32)) - 1U);
  V rows[16];
#pragma GCC unroll 16
  for (size_t i = 0; i < 16; ++i) {
    const __m512i pairs = token + i < task.length
                              ? _mm512_maskz_loadu_epi16(used, task.rows + (token + i) * task.stride + first * 2)
                              : _mm512_setzero_si512();
    rows[i] = {_mm512_castsi512_ps(pairs)};
  }
  V::transpose(rows);
  const size_t wanted = steps - first < 16 ? steps - first : 16;
  for (size_t step = 0; step < wanted; ++step) {
    _mm512_storeu_si512(panel + (first + step) * 32, _mm512_castps_si512(rows[step].lanes));
  }
}

/// @tparam Layout  has kLayout, of two numbers a step
template <class V, class Layout>
void pack_keys(const PackTask& task) {
  const size_t depth = Layout::kLayout.depth(task.head_size);
  for (size_t token = 0; token < task.length; token += kPanelWidth) {
    Half* const panel = task.panels + token * depth;
    for (size_t first = 0; first < depth / 2; first += 16) pack_key_block<V>(task, token, first, depth / 2, panel);
  }
}

template <class V, class Layout>
void pack_values(const PackTask& task) {
  const size_t depth = Layout::kLayout.depth(task.length);
  for (size_t column = 0; column < task.head_size; column += kPanelWidth) {
    Half* const panel = task.panels + column * depth;
    const __mmask16 used = V::mask(task.head_size - column < 16 ? task.head_size - column : 16);
    const auto lanes = [&](size_t token) {
      return token < task.length
                 ? _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(used, task.rows + token * task.stride + column))
                 : _mm512_setzero_si512();
    };
    for (size_t step = 0; step < depth / 2; ++step) {
      const __m512i both = _mm512_or_si512(lanes(2 * step), _mm512_slli_epi32(lanes(2 * step + 1), 16));
      _mm512_storeu_si512(panel + step * 2 * kPanelWidth, both);
    }
  }
}

}  // namespace summand::engine::avx512
