#pragma once

#include "lab/statistics/surrogates.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Vaswani et al. 2017, section 3.5; first row is position 0. @throws ConfigError if the width is odd
[[nodiscard]] Table sinusoid(Shape shape, double base = 10000);

}  // namespace summand::lab
