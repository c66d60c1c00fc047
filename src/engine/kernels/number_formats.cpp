#include "engine/kernels/number_formats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/half.hpp"

namespace summand::engine {

Half to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits & 0x80000000U;
  if (std::isnan(value)) return {static_cast<uint16_t>((bits >> 16U) | 0x40U)};
  if (std::abs(value) < 0x1p-126F) return {static_cast<uint16_t>(sign >> 16U)};
  return {static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U)};
}

Half to_fp16(float value) {
  return {float_to_half(value)};
}

float float_of_fp16(Half value) {
  return half_to_float(value.bits);
}

RowQuantization code_of_range(float smallest, float largest, float poison) {
  constexpr float kSteps = 255;
  const float scale = (largest - smallest) / kSteps;
  if (!(scale > 0) || !std::isfinite(scale) || !std::isfinite(poison)) return {.scale = 1 + poison * 0, .zero = 0};
  const float zero = std::nearbyint(-smallest / scale);
  return {.scale = scale, .zero = static_cast<int32_t>(std::clamp(zero, 0.0F, kSteps))};
}

Destination from_column(Destination out, size_t column) {
  if (out.floats != nullptr) out.floats += column;
  if (out.rounded != nullptr) out.rounded += column;
  return out;
}

Destination from_row(Destination out, size_t row) {
  return from_column(out, row * out.stride);
}

}  // namespace summand::engine
