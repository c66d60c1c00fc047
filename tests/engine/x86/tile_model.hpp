#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "engine/kernels/number_formats.hpp"
#include "engine/kernels/x86/tiles.hpp"
#include "engine/x86/vdpbf16ps.hpp"

namespace summand::test {

/// AMX in plain C++, with the members of NativeTiles: eight tiles as LDTILECFG shapes them. What the processor would
/// refuse is an exception.
/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, "Operation" of each instruction
class TileModel {
 public:
  static void configure(const engine::x86::TileShapes& shapes) {
    if (shapes.palette != 1) refuse("palette");
    for (int tile = 0; tile < 8; ++tile) {
      if (shapes.rows[tile] < 1 || shapes.rows[tile] > 16) refuse("rows");
      if (shapes.bytes_per_row[tile] < 1 || shapes.bytes_per_row[tile] > 64) refuse("bytes per row");
      tiles[tile] = {.rows = shapes.rows[tile], .bytes_per_row = shapes.bytes_per_row[tile], .bytes = {}};
    }
    ++configured;
  }
  static void release() {
    for (Tile& tile : tiles) tile = {};
  }
  template <int tile>
  static void zero() {
    std::memset(used<tile>().bytes, 0, sizeof tiles[tile].bytes);
  }
  /// TILELOADD: rows beyond the shape become zero.
  template <int tile>
  static void load(const void* from, size_t stride) {
    Tile& to = used<tile>();
    std::memset(to.bytes, 0, sizeof to.bytes);
    for (size_t row = 0; row < to.rows; ++row) {
      std::memcpy(to.bytes[row], static_cast<const char*>(from) + row * stride, to.bytes_per_row);
    }
  }
  /// TILESTORED
  template <int tile>
  static void store(void* to, size_t stride) {
    const Tile& from = used<tile>();
    for (size_t row = 0; row < from.rows; ++row) {
      std::memcpy(static_cast<char*>(to) + row * stride, from.bytes[row], from.bytes_per_row);
    }
  }
  /// TDPBF16PS: even and odd numbers of a row make a chain of fused multiply-adds each, from zero; their sum is added
  /// to the total. Denormals count as zeros everywhere.
  template <int sums, int rows, int columns>
  static void dot_bf16() {
    check_shapes<sums, rows, columns>();
    for (size_t m = 0; m < tiles[sums].rows; ++m) {
      for (size_t n = 0; n < tiles[sums].bytes_per_row / 4U; ++n) {
        float chains[2] = {};
        for (size_t k = 0; k < tiles[rows].bytes_per_row / 4U; ++k) {
          for (size_t i = 0; i < 2; ++i) {
            const float a = flushed(float_of_bf16(at<engine::Half>(tiles[rows], m, 2 * k + i)));
            const float b = flushed(float_of_bf16(at<engine::Half>(tiles[columns], k, 2 * n + i)));
            chains[i] = flushed(std::fma(a, b, chains[i]));
          }
        }
        const float both = flushed(chains[0] + chains[1]);
        put(tiles[sums], m, n, flushed(flushed(at<float>(tiles[sums], m, n)) + both));
      }
    }
  }
  /// TDPBUSD
  template <int sums, int rows, int columns>
  static void dot_bytes() {
    check_shapes<sums, rows, columns>();
    for (size_t m = 0; m < tiles[sums].rows; ++m) {
      for (size_t n = 0; n < tiles[sums].bytes_per_row / 4U; ++n) {
        auto total = at<uint32_t>(tiles[sums], m, n);
        for (size_t k = 0; k < tiles[rows].bytes_per_row; ++k) {
          const int32_t a = at<uint8_t>(tiles[rows], m, k);
          const int32_t b = at<int8_t>(tiles[columns], k / 4, 4 * n + k % 4);
          total += static_cast<uint32_t>(a * b);
        }
        put(tiles[sums], m, n, total);
      }
    }
  }

  static inline thread_local int configured = 0;  ///< how often

 private:
  struct Tile {
    size_t rows;
    size_t bytes_per_row;
    unsigned char bytes[16][64];
  };
  static inline thread_local Tile tiles[8] = {};

  [[noreturn]] static void refuse(const char* what) { throw std::logic_error(what); }
  template <int tile>
  static Tile& used() {
    if (tiles[tile].rows == 0) refuse("a tile without a shape");
    return tiles[tile];
  }
  template <int sums, int rows, int columns>
  static void check_shapes() {
    static_assert(sums != rows && sums != columns && rows != columns);
    if (used<sums>().rows != used<rows>().rows) refuse("rows of sums");
    if (used<sums>().bytes_per_row != used<columns>().bytes_per_row) refuse("columns of sums");
    if (used<rows>().bytes_per_row != 4 * used<columns>().rows) refuse("depth");
  }
  template <class T>
  static T at(const Tile& tile, size_t row, size_t index) {
    T value;
    std::memcpy(&value, tile.bytes[row] + index * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  static void put(Tile& tile, size_t row, size_t index, T value) {
    std::memcpy(tile.bytes[row] + index * sizeof(T), &value, sizeof(T));
  }
};

}  // namespace summand::test
