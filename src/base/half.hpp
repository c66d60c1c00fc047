#pragma once

#include <bit>
#include <cstdint>

namespace summand {

/// IEEE 754 binary16 to binary32, exactly; subnormals, infinities and NaN included.
[[nodiscard]] inline float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(half & 0x7FFFU) << 13;
  // The exponents' offsets are 15 and 127: read as a float, the magnitude is too small by 2^112.
  const float finite = std::bit_cast<float>(magnitude) * 0x1p112F;
  const uint32_t bits = magnitude >= 0x0F800000U ? 0x7F800000U | magnitude : std::bit_cast<uint32_t>(finite);
  return std::bit_cast<float>(sign | bits);
}

/// IEEE 754 binary32 to binary16, to nearest, ties to even; from 65520 on infinity. NaN stays NaN.
[[nodiscard]] inline uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return sign | 0x7E00U;
  if (magnitude >= 0x47800000U) return sign | 0x7C00U;
  if (magnitude < 0x38800000U) {
    // Below 2^-14 the step is 2^-24, the last digit of a float near 0.5: adding 0.5 rounds.
    const float moved = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(moved) - std::bit_cast<uint32_t>(0.5F)));
  }
  const uint32_t odd = (magnitude >> 13) & 1U;
  const uint32_t rounded = magnitude + 0xFFFU + odd;  // may carry into the exponent, up to infinity
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

}  // namespace summand
