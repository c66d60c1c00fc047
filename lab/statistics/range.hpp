#pragma once

#include <algorithm>
#include <vector>

#include "lab/statistics/interval.hpp"

namespace summand::lab {

/// From the smallest to the largest. @pre one or more
[[nodiscard]] inline Interval range_of(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return {.low = least, .high = most};
}

}  // namespace summand::lab
