#pragma once

#include <immintrin.h>

#include <cstddef>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/x86/floats_avx2.hpp"

namespace summand::engine::avx2 {

// One head's keys and values as panels of pairs, whatever the format of their 16 bits.

/// Up to 16 numbers, zeros behind them.
inline __m256i load_halves(const Half* from, size_t count) {
  if (count >= 16) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  alignas(32) Half some[16] = {};
  __builtin_memcpy(some, from, count * sizeof(Half));
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(some));
}

/// Eight tokens at a time, one a row, become columns of a panel, eight steps at a time.
inline void pack_keys(const PackTask& task) {
  const size_t steps = (task.head_size + 1) / 2;
  const size_t tokens = (task.length + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
  for (size_t token = 0; token < tokens; token += 8) {
    Half* const panel = task.panels + token / kPanelWidth * kPanelWidth * steps * 2 + token % kPanelWidth * 2;
    for (size_t first = 0; first < steps; first += 8) {
      Floats rows[8];
      for (size_t i = 0; i < 8; ++i) {
        const bool exists = token + i < task.length;
        const Half* const from = task.rows + (token + i) * task.stride + first * 2;
        const __m256i pairs = exists ? load_halves(from, task.head_size - first * 2) : _mm256_setzero_si256();
        rows[i] = {_mm256_castsi256_ps(pairs)};
      }
      Floats::transpose(rows);
      for (size_t step = 0; step < 8 && first + step < steps; ++step) {
        Half* const to = panel + (first + step) * kPanelWidth * 2;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_castps_si256(rows[step].lanes));
      }
    }
  }
}

/// Two tokens' 16 numbers become 16 pairs.
inline void pack_values(const PackTask& task) {
  const size_t steps = (task.length + 1) / 2;
  for (size_t column = 0; column < task.head_size; column += kPanelWidth) {
    Half* const panel = task.panels + column * steps * 2;
    const auto row = [&](size_t token) {
      return token < task.length ? load_halves(task.rows + token * task.stride + column, task.head_size - column)
                                 : _mm256_setzero_si256();
    };
    for (size_t step = 0; step < steps; ++step) {
      const __m256i first = row(2 * step);
      const __m256i second = row(2 * step + 1);
      const __m256i low = _mm256_unpacklo_epi16(first, second);   // columns 0 … 3 and 8 … 11
      const __m256i high = _mm256_unpackhi_epi16(first, second);  // columns 4 … 7 and 12 … 15
      auto* const to = reinterpret_cast<__m256i*>(panel + step * kPanelWidth * 2);
      _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, high, 0x20));
      _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, high, 0x31));
    }
  }
}

}  // namespace summand::engine::avx2
