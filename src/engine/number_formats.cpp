#include "engine/number_formats.hpp"

#include <algorithm>
#include <cmath>

namespace summand::engine {

RowCode code_of_range(float smallest, float largest, float poison) {
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
