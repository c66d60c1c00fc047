#pragma once

#include "lab/statistics/surrogates.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Vaswani et al. 2017, section 3.5; first row is position 0. @throws ConfigError if the width is odd
[[nodiscard]] Table sinusoid(Shape shape, double base = 10000);

/// Columns 2i and 2i+1 are sine and cosine of position · t^power, t = i / (columns / 2).
/// @param power  above 0 @throws UsageError if the width is odd
/// Source: Su 2021, kexue.fm/archives/8231
[[nodiscard]] Table power_sinusoid(Shape shape, double power);

}  // namespace summand::lab
