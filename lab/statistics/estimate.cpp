#include "lab/statistics/estimate.hpp"

#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

Estimate median_estimate(std::span<const double> draws) {
  return {.value = median(draws), .interval = middle_95_percent(draws)};
}

}  // namespace summand::lab
