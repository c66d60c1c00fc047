#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/tile_endings.hpp"

namespace summand::engine::arm {

// Products by instructions that multiply small matrices, BFMMLA and USMMLA: 8 bytes of the depth of two rows meet those
// of two columns and make four sums. A step of a panel is 16 columns of 8 bytes, so a register holds two columns' step.
//
// An output's bits depend on its row and column alone: one chain over steps of 8 bytes, by one instruction each.

/// In bf16, 4 numbers make 8 bytes.
/// @tparam I  the instructions, or a plain model of them
template <class I, class V, class Format>
struct Bf16Matrices {
  using Instructions = I;
  using Task = HalfProductTask;
  using Sum = float;
  using Sums = typename I::FloatSums;
  static constexpr size_t kPerStep = 4;

  static Sums add(Sums sums, typename I::Word rows, typename I::Word columns) { return I::bfmmla(sums, rows, columns); }
  static void finish(const Task& task, size_t row, size_t column, const Sum* sums) {
    simd::finish_sums<V, Format>(task, row, column, sums);
  }
};

/// In int8, 8.
template <class I, class V, class Format>
struct Int8Matrices {
  using Instructions = I;
  using Task = Int8ProductTask;
  using Sum = int32_t;
  using Sums = typename I::IntegerSums;
  static constexpr size_t kPerStep = 8;

  static Sums add(Sums sums, typename I::Word rows, typename I::Word columns) { return I::usmmla(sums, rows, columns); }
  static void finish(const Task& task, size_t row, size_t column, const Sum* sums) {
    simd::finish_sums<V, Format>(task, row, column, sums);
  }
};

/// `Pairs` pairs of rows times one panel: 8 registers of sums a pair.
template <class Kind, size_t Pairs>
class MatrixTile {
 public:
  using Task = typename Kind::Task;

  /// @param rows  of the tile that exist: 2 · Pairs, or one fewer, and then the last is read twice
  static void run(const Task& task, size_t row, size_t rows, size_t column) {
    using I = typename Kind::Instructions;
    const auto* const in = task.rows + row * task.row_stride;
    const auto* const panel = task.panels + column * task.depth;
    typename Kind::Sums sums[Pairs][kColumnPairs];
#pragma GCC unroll 4
    for (size_t pair = 0; pair < Pairs; ++pair) {
#pragma GCC unroll 8
      for (size_t c = 0; c < kColumnPairs; ++c) sums[pair][c] = typename Kind::Sums{};
    }
    const size_t last = (rows - 1) * task.row_stride;
    for (size_t k = 0; k < task.depth; k += Kind::kPerStep) {
      typename I::Word values[Pairs];
#pragma GCC unroll 4
      for (size_t pair = 0; pair < Pairs; ++pair) {
        const size_t first = 2 * pair * task.row_stride;
        const size_t second = first + task.row_stride;
        values[pair] = I::two(in + first + k, in + (second < last ? second : last) + k);
      }
#pragma GCC unroll 8
      for (size_t c = 0; c < kColumnPairs; ++c) {
        const typename I::Word weights = I::load(panel + k * kPanelWidth + c * 2 * Kind::kPerStep);
#pragma GCC unroll 4
        for (size_t pair = 0; pair < Pairs; ++pair) sums[pair][c] = Kind::add(sums[pair][c], values[pair], weights);
      }
    }
    for (size_t pair = 0; pair < Pairs; ++pair) finish(task, row + 2 * pair, rows - 2 * pair, column, sums[pair]);
  }

 private:
  static constexpr size_t kColumnPairs = kPanelWidth / 2;

  static void finish(const Task& task, size_t row, size_t rows, size_t column,
                     const typename Kind::Sums (&sums)[kColumnPairs]) {
    typename Kind::Sum of_rows[2][kPanelWidth];
    for (size_t c = 0; c < kColumnPairs; ++c) {
      typename Kind::Sum four[4];
      Kind::Instructions::store(sums[c], four);
      for (size_t i = 0; i < 2; ++i) {
        of_rows[i][2 * c] = four[2 * i];
        of_rows[i][2 * c + 1] = four[2 * i + 1];
      }
    }
    for (size_t i = 0; i < 2 && i < rows; ++i) Kind::finish(task, row + i, column, of_rows[i]);
  }
};

/// A panel stays in the first-level cache while all rows pass it, six at a time: 24 of the 32 registers hold sums.
template <class Kind>
void matrix_product(const typename Kind::Task& task) {
  constexpr size_t kRows = 6;
  for (size_t column = 0; column < task.columns; column += kPanelWidth) {
    size_t row = 0;
    for (; row + kRows <= task.row_count; row += kRows) MatrixTile<Kind, 3>::run(task, row, kRows, column);
    const size_t left = task.row_count - row;
    if (left > 4) {
      MatrixTile<Kind, 3>::run(task, row, left, column);
    } else if (left > 2) {
      MatrixTile<Kind, 2>::run(task, row, left, column);
    } else if (left > 0) {
      MatrixTile<Kind, 1>::run(task, row, left, column);
    }
  }
}

}  // namespace summand::engine::arm
