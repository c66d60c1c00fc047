#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace summand::engine {

/// A bfloat16: the upper half of a float, rounded to nearest, ties to even; what a float cannot hold as a normal number
/// becomes zero.
struct Bf16 {
  uint16_t bits = 0;
};

[[nodiscard]] Bf16 to_bf16(float value);
[[nodiscard]] inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16U);
}

/// How a row of floats became a row of bytes: x ≈ scale · (byte - zero).
struct RowCode {
  float scale = 1;   ///< not a number where the row holds something that is none
  int32_t zero = 0;  ///< 0 … 255
};

/// The code of a row whose values lie between the two, zero among them, with 255 steps between.
/// @param poison  zero, or not a number where a value is none or infinite; then so is the scale
/// Source: Jacob et al. 2018, section 2.1
[[nodiscard]] RowCode code_of_range(float smallest, float largest, float poison);

/// Where floats go: as they are, or rounded. Exactly one of the two pointers is not null.
struct Destination {
  float* floats = nullptr;  ///< rows `stride` apart
  Bf16* rounded = nullptr;  ///< likewise
  size_t stride = 0;
};

/// Where columns from `column` on go.
[[nodiscard]] Destination from_column(Destination out, size_t column);
/// Where rows from `row` on go.
[[nodiscard]] Destination from_row(Destination out, size_t row);

/// Numbers of one row that meet in one step of a product: a step takes 32 bits of each row.
inline constexpr size_t kBf16PerStep = 2;
inline constexpr size_t kBytesPerStep = 4;

}  // namespace summand::engine
