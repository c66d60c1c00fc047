#pragma once

#include <cstddef>
#include <type_traits>

#include "engine/kernels/single_precision.hpp"

namespace summand::engine::simd {

/// A product of floats. Each kind of product has such a type. It defines the numbers in a row and in a panel, how many
/// of them a step multiplies, and how totals start, grow and are stored; for the rest of a row, at most one vector.
template <class V>
struct FloatProduct {
  using Task = ProductTask;
  using Total = V;
  static constexpr size_t kPerStep = 1;
  static constexpr bool kFetchesAhead = true;

  static size_t steps(const Task& task) { return task.depth; }
  static V weights(const float* from) { return V::load(from); }
  static V same(const float* from) { return V::all(*from); }
  static Total start(const Task& task, size_t column) {
    return task.bias == nullptr ? V::zero() : V::load(task.bias + column);
  }
  static Total add(Total total, V value, V weight) { return fused(value, weight, total); }
  static V finish(const Task&, size_t, size_t, Total total) { return total; }
  static void store(const Task& task, size_t row, size_t column, size_t left, V values) {
    float* const to = task.out + row * task.out_stride + column;
    if (left >= V::kWidth) return values.store(to);
    values.store_first(to, left);
  }
};

/// Kinds with sums that are accurate only for a limited number of steps define kChain, and settle(total) after it.
template <class Kind>
concept SumsInChains = requires {
  Kind::kChain;
};

/// Kinds that get all rows at once define kFetchesAhead: while the rows pass some panels, the next panels are
/// prefetched into the second-level cache.
template <class Kind>
concept FetchesAhead = requires {
  Kind::kFetchesAhead;
};

/// Steps [first, last) of a product's depth.
struct StepRange {
  size_t first;
  size_t last;
};

/// `Rows` rows times `Panels` panels of 16 columns in registers. `Kind` is a type such as FloatProduct.
template <class Kind, class V, size_t Rows, size_t Panels>
struct ProductTile {
  using Task = typename Kind::Task;
  using Total = typename Kind::Total;
  static constexpr size_t kPerPanel = kPanelWidth / V::kWidth;
  static constexpr size_t kVectors = Panels * kPerPanel;
  static constexpr size_t kPerStep = Kind::kPerStep;

  /// Not inlined: within other code the compiler keeps sums in memory.
  /// @param ahead  the steps of the next panels that are fetched
  [[gnu::noinline]] static void run(const Task& task, size_t row, size_t column, StepRange ahead) {
    const auto* const in = task.rows + row * task.row_stride;
    const size_t steps = Kind::steps(task);
    const size_t panel_size = kPanelWidth * steps * kPerStep;
    const auto* const panels = task.panels + column / kPanelWidth * panel_size;
    Total totals[Rows][kVectors];
    start(task, column, totals);
    const auto add_steps = [&]<bool fetches>(size_t first, size_t last, std::bool_constant<fetches>) {
      for (size_t step = first; step < last; ++step) {
        decltype(Kind::weights(panels)) weights[kVectors];
#pragma GCC unroll 8
        for (size_t v = 0; v < kVectors; ++v) {
          const auto* const at =
              panels + v / kPerPanel * panel_size + (step * kPanelWidth + v % kPerPanel * V::kWidth) * kPerStep;
          weights[v] = Kind::weights(at);
          if constexpr (fetches) fetch(at + Panels * panel_size);
        }
#pragma GCC unroll 16
        for (size_t r = 0; r < Rows; ++r) {
          const auto value = Kind::same(in + r * task.row_stride + step * kPerStep);
#pragma GCC unroll 8
          for (size_t v = 0; v < kVectors; ++v) totals[r][v] = Kind::add(totals[r][v], value, weights[v]);
        }
      }
    };
    if constexpr (SumsInChains<Kind>) {
      for (size_t step = 0; step < steps; step += Kind::kChain) {
        add_steps(step, step + Kind::kChain < steps ? step + Kind::kChain : steps, std::false_type());
        settle(totals);
      }
    } else if constexpr (FetchesAhead<Kind>) {
      add_steps(0, ahead.first, std::false_type());
      add_steps(ahead.first, ahead.last, std::true_type());
      add_steps(ahead.last, steps, std::false_type());
    } else {
      add_steps(0, steps, std::false_type());
    }
    finish(task, row, column, totals);
  }

 private:
  /// Into the second-level cache; also past the last panel, where there may be no data.
  static void fetch(const void* from) {
    __builtin_prefetch(from, 0, 2);
  }

  static void start(const Task& task, size_t column, Total (&totals)[Rows][kVectors]) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      const Total first = Kind::start(task, column + v * V::kWidth);
#pragma GCC unroll 16
      for (size_t r = 0; r < Rows; ++r) totals[r][v] = first;
    }
  }

  static void settle(Total (&totals)[Rows][kVectors]) {
#pragma GCC unroll 16
    for (size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) totals[r][v] = Kind::settle(totals[r][v]);
    }
  }

  static void finish(const Task& of, size_t row, size_t column, const Total (&totals)[Rows][kVectors]) {
    const Task task = of;  // which no store can change, so that it is read once
    const size_t left = task.columns - column;
    if (left >= kVectors * V::kWidth) {
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) finish_column(task, row, column + v * V::kWidth, V::kWidth, totals, v);
      return;
    }
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      if (v * V::kWidth >= left) return;
      finish_column(task, row, column + v * V::kWidth, left - v * V::kWidth, totals, v);
    }
  }

  /// A vector of every row. All are finished before the first is stored: what their columns bring along is then loaded
  /// once. @param left  columns that are written from `column` on
  [[gnu::always_inline]] static void finish_column(const Task& task, size_t row, size_t column, size_t left,
                                                   const Total (&totals)[Rows][kVectors], size_t v) {
    V values[Rows];
#pragma GCC unroll 16
    for (size_t r = 0; r < Rows; ++r) values[r] = Kind::finish(task, row + r, column, totals[r][v]);
#pragma GCC unroll 16
    for (size_t r = 0; r < Rows; ++r) Kind::store(task, row + r, column, left, values[r]);
  }
};

/// Runs the tile of `rows` rows, at most `Rows`.
template <class Kind, class V, size_t Rows, size_t Panels>
void run_rows(const typename Kind::Task& task, size_t rows, size_t row, size_t column, StepRange ahead) {
  if constexpr (Rows > 1) {
    if (rows < Rows) return run_rows<Kind, V, Rows - 1, Panels>(task, rows, row, column, ahead);
  }
  ProductTile<Kind, V, Rows, Panels>::run(task, row, column, ahead);
}

/// Runs all rows against the `Panels` panels from `column` on, or against as many as are left. The rows are shared out
/// evenly, as a tile of one row would wait for its own sums. Of several tiles each fetches a share of the next panels;
/// one alone would only read them twice.
/// @return how many columns that were
template <class Kind, class V, size_t Rows, size_t Panels>
size_t run_panels(const typename Kind::Task& task, size_t column) {
  if constexpr (Panels > 1) {
    if (task.columns - column <= (Panels - 1) * kPanelWidth) return run_panels<Kind, V, Rows, Panels - 1>(task, column);
  }
  const size_t steps = Kind::steps(task);
  size_t row = 0;
  size_t fetched = task.row_count > Rows ? 0 : steps;
  for (size_t tiles = (task.row_count + Rows - 1) / Rows; tiles > 0; --tiles) {
    const size_t rows = (task.row_count - row + tiles - 1) / tiles;
    const StepRange ahead{fetched, fetched + (steps - fetched + tiles - 1) / tiles};
    run_rows<Kind, V, Rows, Panels>(task, rows, row, column, ahead);
    fetched = ahead.last;
    row += rows;
  }
  return Panels * kPanelWidth;
}

/// Panels outside, rows inside: a few panels stay in the first-level cache while all rows pass them.
template <class Kind, class V, size_t Rows, size_t Panels>
void product(const typename Kind::Task& task) {
  for (size_t column = 0; column < task.columns;) column += run_panels<Kind, V, Rows, Panels>(task, column);
}

}  // namespace summand::engine::simd
