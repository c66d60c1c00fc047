#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace summand::engine {

/// A number in 16 bits, bf16 or fp16, depending on the kernels that made it.
struct Half {
  uint16_t bits = 0;
};

/// A bfloat16: the upper half of a float, rounded to nearest, ties to even; what a float cannot hold as a normal number
/// becomes zero.
[[nodiscard]] Half to_bf16(float value);
[[nodiscard]] inline float float_of_bf16(Half value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16U);
}

/// IEEE 754 binary16, rounded to nearest, ties to even; infinity beyond 65504.
[[nodiscard]] Half to_fp16(float value);
[[nodiscard]] float float_of_fp16(Half value);

inline constexpr float kLargestBf16 = 0x1.fep127F;
inline constexpr float kLargestFp16 = 65504;

/// How a row of floats became a row of bytes: x ≈ scale · (byte - zero).
struct RowQuantization {
  float scale = 1;   ///< NaN if the row holds a NaN or an infinity
  int32_t zero = 0;  ///< 0 … 255
};

/// The code of a row with values in this range, which includes zero, in 255 steps.
/// @param poison  zero, or NaN if a value is NaN or infinite; then the scale is NaN too
/// Source: Jacob et al. 2018, section 2.1
[[nodiscard]] RowQuantization code_of_range(float smallest, float largest, float poison);

/// Destination of floats: unchanged or rounded. Exactly one of the two pointers is not null.
struct Destination {
  float* floats = nullptr;  ///< rows `stride` apart
  Half* rounded = nullptr;  ///< likewise
  size_t stride = 0;
};

/// The destination of columns from `column` on.
[[nodiscard]] Destination from_column(Destination out, size_t column);
/// The destination of rows from `row` on.
[[nodiscard]] Destination from_row(Destination out, size_t row);

}  // namespace summand::engine
