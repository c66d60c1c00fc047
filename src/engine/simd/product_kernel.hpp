#pragma once

#include <cstddef>

#include "engine/kernels.hpp"

namespace summand::engine::simd {

/// `Rows` rows times `Panels` panels of 16 columns in registers. V is a vector type such as avx2::Floats.
template <class V, size_t Rows, size_t Panels>
struct ProductTile {
  static constexpr size_t kPerPanel = kPanelWidth / V::kWidth;
  static constexpr size_t kVectors = Panels * kPerPanel;

  static void run(const ProductTask& task, size_t row, size_t column) {
    const float* const in = task.rows + row * task.row_stride;
    const float* const panels = task.panels + column * task.depth;
    const size_t panel_step = kPanelWidth * task.depth;
    V totals[Rows][kVectors];
    start(task, column, totals);
    for (size_t k = 0; k < task.depth; ++k) {
      V weights[kVectors];
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        weights[v] = V::load(panels + v / kPerPanel * panel_step + k * kPanelWidth + v % kPerPanel * V::kWidth);
      }
#pragma GCC unroll 16
      for (size_t r = 0; r < Rows; ++r) {
        const V value = V::all(in[r * task.row_stride + k]);
#pragma GCC unroll 8
        for (size_t v = 0; v < kVectors; ++v) totals[r][v] = fused(value, weights[v], totals[r][v]);
      }
    }
    finish(task, row, column, totals);
  }

 private:
  static void start(const ProductTask& task, size_t column, V (&totals)[Rows][kVectors]) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      const V bias = task.bias == nullptr ? V::zero() : V::load(task.bias + column + v * V::kWidth);
#pragma GCC unroll 16
      for (size_t r = 0; r < Rows; ++r) totals[r][v] = bias;
    }
  }

  static void finish(const ProductTask& task, size_t row, size_t column, const V (&totals)[Rows][kVectors]) {
    float* const out = task.out + row * task.out_stride + column;
    const size_t columns = task.columns - column;
#pragma GCC unroll 16
    for (size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        float* const to = out + r * task.out_stride + v * V::kWidth;
        const size_t first = v * V::kWidth;
        if (first + V::kWidth <= columns) {
          totals[r][v].store(to);
        } else if (first < columns) {
          totals[r][v].store_first(to, columns - first);
        }
      }
    }
  }
};

/// Runs the tile of `rows` rows, at most `Rows`.
template <class V, size_t Rows, size_t Panels>
void run_rows(const ProductTask& task, size_t rows, size_t row, size_t column) {
  if constexpr (Rows > 1) {
    if (rows < Rows) return run_rows<V, Rows - 1, Panels>(task, rows, row, column);
  }
  ProductTile<V, Rows, Panels>::run(task, row, column);
}

/// Runs all rows against the `Panels` panels from `column` on, or against as many as are left. The rows are shared out
/// evenly, as a tile of one row would wait for its own sums.
/// @return how many columns that were
template <class V, size_t Rows, size_t Panels>
size_t run_panels(const ProductTask& task, size_t column) {
  if constexpr (Panels > 1) {
    if (task.columns - column <= (Panels - 1) * kPanelWidth) return run_panels<V, Rows, Panels - 1>(task, column);
  }
  size_t row = 0;
  for (size_t tiles = (task.row_count + Rows - 1) / Rows; tiles > 0; --tiles) {
    const size_t rows = (task.row_count - row + tiles - 1) / tiles;
    run_rows<V, Rows, Panels>(task, rows, row, column);
    row += rows;
  }
  return Panels * kPanelWidth;
}

/// Panels outside, rows inside: a few panels stay in the first-level cache while all rows pass them.
template <class V, size_t Rows, size_t Panels>
void product(const ProductTask& task) {
  for (size_t column = 0; column < task.columns;) column += run_panels<V, Rows, Panels>(task, column);
}

}  // namespace summand::engine::simd
