#pragma once

#include <span>

#include "lab/statistics/interval.hpp"

namespace summand::lab {

/// A value, and where it lies: over draws, or where what was measured is resampled.
struct Estimate {
  double value = 0;
  Interval interval;
};

/// The median of draws, and their middle 95 %.
[[nodiscard]] Estimate median_estimate(std::span<const double> draws);

}  // namespace summand::lab
