#pragma once

#include <cstddef>
#include <cstdint>

namespace summand::engine::x86 {

/// Operand of LDTILECFG: palette 1 has eight tiles of up to 16 rows of up to 64 bytes.
/// Source: Intel's manual, volume 1, section 18.2 (TILECFG)
struct alignas(64) TileShapes {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t bytes_per_row[16] = {};
  uint8_t rows[16] = {};
};
static_assert(sizeof(TileShapes) == 64);

/// The tile registers of this thread and what multiplies them (AMX-TILE, AMX-BF16, AMX-INT8), as instructions. Tests
/// run the same kernels over a plain model of them, which has the same members. By assembly: the compiler's intrinsics
/// take no template parameters.
struct NativeTiles {
  static void configure(const TileShapes& shapes) { asm volatile("ldtilecfg %0" : : "m"(shapes)); }
  static void release() { asm volatile("tilerelease"); }
  template <int tile>
  static void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(tile));
  }
  /// The tile's rows from memory, `stride` bytes apart.
  template <int tile>
  static void load(const void* from, size_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(tile) : "memory");
  }
  template <int tile>
  static void store(void* to, size_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(tile) : "memory");
  }
  /// sums[m][n] += Σ over pairs: rows[m][pair] · columns[pair][n], in floats.
  template <int sums, int rows, int columns>
  static void dot_bf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(rows), "i"(columns));
  }
  /// sums[m][n] += Σ over fours: unsigned bytes of rows[m] · signed bytes of columns[n], in 32 bits.
  template <int sums, int rows, int columns>
  static void dot_bytes() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(rows), "i"(columns));
  }
};

}  // namespace summand::engine::x86
