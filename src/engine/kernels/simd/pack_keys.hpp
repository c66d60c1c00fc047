#pragma once

#include <cstddef>

#include "engine/kernels/simd/row_kernels.hpp"
#include "engine/kernels/single_precision.hpp"

namespace summand::engine::simd {

/// Square blocks of the keys, one token a row, are transposed in registers: one of the head's numbers a row.
template <class V>
void pack_keys(const PackKeysTask& task) {
  const size_t tokens = (task.length + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
  for (size_t token = 0; token < tokens; token += V::kWidth) {
    float* const panel = task.panels + token / kPanelWidth * kPanelWidth * task.head_size + token % kPanelWidth;
    for_each_vector<V>(task.head_size, [&](size_t first, size_t count) {
      V rows[V::kWidth];
#pragma GCC unroll 16
      for (size_t i = 0; i < V::kWidth; ++i) {
        rows[i] =
            token + i < task.length ? load_up_to<V>(task.rows + (token + i) * task.stride + first, count) : V::zero();
      }
      V::transpose(rows);
      for (size_t k = 0; k < count; ++k) rows[k].store(panel + (first + k) * kPanelWidth);
    });
  }
}

}  // namespace summand::engine::simd
