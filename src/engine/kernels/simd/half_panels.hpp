#pragma once

#include <cstddef>

#include "engine/kernels/low_precision.hpp"

namespace summand::engine::simd {

// One head's keys and values as panels, moved a number at a time: of architectures where that is not what takes time.

/// @tparam Layout  has kLayout
template <class Layout>
void pack_keys(const PackTask& task) {
  constexpr size_t kPerStep = Layout::kLayout.per_step;
  const size_t depth = Layout::kLayout.depth(task.head_size);
  const size_t tokens = (task.length + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
  for (size_t token = 0; token < tokens; ++token) {
    Half* const panel = task.panels + token / kPanelWidth * kPanelWidth * depth + token % kPanelWidth * kPerStep;
    const Half* const from = task.rows + token * task.stride;
    const size_t count = token < task.length ? task.head_size : 0;
    for (size_t k = 0; k < depth; k += kPerStep) {
      for (size_t i = 0; i < kPerStep; ++i) panel[k * kPanelWidth + i] = k + i < count ? from[k + i] : Half();
    }
  }
}

template <class Layout>
void pack_values(const PackTask& task) {
  constexpr size_t kPerStep = Layout::kLayout.per_step;
  const size_t depth = Layout::kLayout.depth(task.length);
  for (size_t column = 0; column < task.head_size; column += kPanelWidth) {
    Half* const panel = task.panels + column * depth;
    const size_t count = task.head_size - column < kPanelWidth ? task.head_size - column : kPanelWidth;
    for (size_t token = 0; token < depth; ++token) {
      Half* const to = panel + token / kPerStep * kPerStep * kPanelWidth + token % kPerStep;
      const Half* const from = task.rows + token * task.stride + column;
      const size_t exist = token < task.length ? count : 0;
      for (size_t i = 0; i < kPanelWidth; ++i) to[i * kPerStep] = i < exist ? from[i] : Half();
    }
  }
}

}  // namespace summand::engine::simd
