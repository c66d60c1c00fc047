#pragma once

#include <cstddef>

#include "engine/kernels/single_precision.hpp"

namespace summand::engine {

/// amount / parts, rounded up.
[[nodiscard]] constexpr size_t divided_up(size_t amount, size_t parts) {
  return (amount + parts - 1) / parts;
}

/// The smallest multiple of `step` that is not below.
[[nodiscard]] constexpr size_t rounded_up(size_t amount, size_t step) {
  return divided_up(amount, step) * step;
}

/// The columns of the fewest panels that hold as many.
[[nodiscard]] constexpr size_t whole_panels(size_t columns) {
  return rounded_up(columns, kPanelWidth);
}

}  // namespace summand::engine
