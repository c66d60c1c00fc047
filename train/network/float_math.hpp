#pragma once

#include <c10/util/BFloat16.h>

#include <bit>
#include <cstdint>

// Functions of one number, without branches or calls, so that the compiler can compute several at once.

namespace summand::train {

[[nodiscard]] inline float to_float(float number) {
  return number;
}

[[nodiscard]] inline float to_float(c10::BFloat16 number) {
  return std::bit_cast<float>(static_cast<uint32_t>(number.x) << 16U);
}

inline void store(float number, float* to) {
  *to = number;
}

/// To the nearest, and of two to the even one; NaN stays NaN.
inline void store(float number, c10::BFloat16* to) {
  const auto bits = std::bit_cast<uint32_t>(number);
  const uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
  to->x = static_cast<uint16_t>(number == number ? rounded : 0x7fc0U);
}

/// 2^n for -126 ≤ n ≤ 127.
[[nodiscard]] inline float power_of_two(int32_t n) {
  return std::bit_cast<float>(static_cast<uint32_t>(n + 127) << 23U);
}

/// e^x to 2 units in the last place, for -87 ≤ x ≤ 88; beyond, the value at that end. NaN for NaN.
/// x = n·ln 2 + r; e^r = 1 + r + r²·q(r) with q fitted on |r| ≤ ln 2 / 2, relative error 1e-8.
[[nodiscard]] inline float exponential(float x) {
  constexpr float kLog2E = 1.44269504089F;
  constexpr float kLn2High = 0x1.62e4p-1F;  // eleven bits, so that n times it is exact
  constexpr float kLn2Low = 0x1.7f7d1cp-20F;
  x = x < -87.0F ? -87.0F : x;
  x = x > 88.0F ? 88.0F : x;
  const float scaled = x * kLog2E;
  const auto n = static_cast<int32_t>(scaled + (scaled < 0 ? -0.5F : 0.5F));
  const auto whole = static_cast<float>(n);
  const float r = (x - whole * kLn2High) - whole * kLn2Low;
  const float q =
      0.5F + r * (0.166665733819F + r * (0.0416665501103F + r * (0.00836377387441F + r * 0.0013926926614F)));
  return (1.0F + (r + r * r * q)) * power_of_two(n);
}

}  // namespace summand::train
