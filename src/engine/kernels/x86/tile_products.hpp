#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/tile_endings.hpp"
#include "engine/kernels/x86/tiles.hpp"

namespace summand::engine::x86 {

// Products by tiles. A tile of rows is 16 rows of 64 bytes of their depth; a tile of a panel is 16 steps of it, 64
// bytes each: in the layout that every set has, one after the other. Two tiles of rows times two panels make four of
// sums.
//
// An output's bits depend on its row and column alone: its sum is taken over the depth in blocks of 64 bytes, each by
// one instruction. That instruction sums a block's even and odd numbers apart and adds both to the total (TDPBF16PS),
// which is not the order of VDPBF16PS.

/// In bf16, 32 numbers of the depth make a tile.
template <class Tiles, class V, class Format>
struct Bf16Tiles {
  using Task = HalfProductTask;
  using Sum = float;
  static constexpr size_t kDepth = 32;

  template <int sums, int rows, int columns>
  static void dot() {
    Tiles::template dot_bf16<sums, rows, columns>();
  }
  static void finish(const Task& task, size_t row, size_t column, const float* sums) {
    simd::finish_sums<V, Format>(task, row, column, sums);
  }
};

/// In int8, 64.
template <class Tiles, class V, class Format>
struct Int8Tiles {
  using Task = Int8ProductTask;
  using Sum = int32_t;
  static constexpr size_t kDepth = 64;

  template <int sums, int rows, int columns>
  static void dot() {
    Tiles::template dot_bytes<sums, rows, columns>();
  }
  static void finish(const Task& task, size_t row, size_t column, const int32_t* sums) {
    simd::finish_sums<V, Format>(task, row, column, sums);
  }
};

/// How the tiles of this thread are shaped: registers 0 to 3 hold sums, 4 and 5 rows, 6 and 7 panels.
template <class Tiles>
class TileShaping {
 public:
  /// @param rows  of a tile of rows, at most 16
  static void shape(size_t rows) {
    if (shaped_ == rows) return;
    TileShapes shapes;
    for (int tile = 0; tile < 8; ++tile) {
      shapes.bytes_per_row[tile] = 64;
      shapes.rows[tile] = static_cast<uint8_t>(tile < 6 ? rows : 16);
    }
    Tiles::configure(shapes);
    shaped_ = rows;
  }
  /// Called when a thread begins: other code may have configured the tiles differently.
  static void forget() { shaped_ = 0; }
  static void release() {
    if (shaped_ != 0) Tiles::release();
    shaped_ = 0;
  }

 private:
  static inline thread_local size_t shaped_ = 0;
};

template <class Kind, class Tiles>
class TileProduct {
 public:
  using Task = typename Kind::Task;

  static void run(const Task& task) {
    const size_t rows = task.row_count < kRows ? task.row_count : kRows;
    TileShaping<Tiles>::shape(rows);
    size_t column = 0;
    for (; task.columns - column > kPanelWidth; column += 2 * kPanelWidth) {
      run_rows<2>(task, rows, column);
      if (task.columns - column <= 2 * kPanelWidth) return;
    }
    run_rows<1>(task, rows, column);
  }

 private:
  static constexpr size_t kRows = 16;
  using Sum = typename Kind::Sum;

  /// All rows, two tiles at a time. The last tile ends with the last row: rows that lie in two tiles have the same bits
  /// in both.
  template <size_t panels>
  static void run_rows(const Task& task, size_t rows, size_t column) {
    const size_t last = task.row_count - rows;
    size_t row = 0;
    for (; row + rows < task.row_count; row += 2 * rows) {
      run_tiles<2, panels>(task, rows, row, row + rows < last ? row + rows : last, column);
    }
    if (row < task.row_count) run_tiles<1, panels>(task, rows, row < last ? row : last, last, column);
  }

  template <size_t row_tiles, size_t panels>
  static void run_tiles(const Task& task, size_t rows, size_t row, size_t second_row, size_t column) {
    constexpr size_t kStep = kPanelWidth * Kind::kDepth;  // numbers of a tile of a panel
    const auto* const in = task.rows + row * task.row_stride;
    const auto* const second_in = task.rows + second_row * task.row_stride;
    const auto* const panel = task.panels + column * task.depth;
    const auto* const second_panel = panel + kPanelWidth * task.depth;
    const size_t stride = task.row_stride * sizeof(*in);
    Tiles::template zero<0>();
    if constexpr (panels == 2) Tiles::template zero<1>();
    if constexpr (row_tiles == 2) Tiles::template zero<2>();
    if constexpr (row_tiles == 2 && panels == 2) Tiles::template zero<3>();
    for (size_t k = 0; k < task.depth; k += Kind::kDepth) {
      const size_t step = k / Kind::kDepth * kStep;
      Tiles::template load<6>(panel + step, 64);
      Tiles::template load<4>(in + k, stride);
      Kind::template dot<0, 4, 6>();
      if constexpr (panels == 2) {
        Tiles::template load<7>(second_panel + step, 64);
        Kind::template dot<1, 4, 7>();
      }
      if constexpr (row_tiles == 2) {
        Tiles::template load<5>(second_in + k, stride);
        Kind::template dot<2, 5, 6>();
        if constexpr (panels == 2) Kind::template dot<3, 5, 7>();
      }
    }
    alignas(64) Sum sums[kRows * kPanelWidth];
    finish<0>(task, rows, row, column, sums);
    if constexpr (panels == 2) finish<1>(task, rows, row, column + kPanelWidth, sums);
    if constexpr (row_tiles == 2) finish<2>(task, rows, second_row, column, sums);
    if constexpr (row_tiles == 2 && panels == 2) finish<3>(task, rows, second_row, column + kPanelWidth, sums);
  }

  template <int tile>
  static void finish(const Task& task, size_t rows, size_t row, size_t column, Sum* sums) {
    Tiles::template store<tile>(sums, kPanelWidth * sizeof(Sum));
    for (size_t i = 0; i < rows; ++i) Kind::finish(task, row + i, column, sums + i * kPanelWidth);
  }
};

}  // namespace summand::engine::x86
