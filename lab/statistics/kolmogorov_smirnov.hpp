#pragma once

#include <functional>
#include <span>

namespace summand::lab {

/// How far a sample lies from a law.
struct KolmogorovSmirnov {
  double statistic = 0;  ///< the largest distance between the two distribution functions
  double p = 1;          ///< that a sample of this size of the law lies so far; asymptotic: for 50 values and more
};

/// @param cdf  of the law, not decreasing, fixed before the sample was seen
/// @throws UsageError if there is no value
/// Source: Kolmogorov 1933
[[nodiscard]] KolmogorovSmirnov kolmogorov_smirnov(std::span<const double> values,
                                                   const std::function<double(double)>& cdf);

}  // namespace summand::lab
