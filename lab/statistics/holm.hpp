#pragma once

#include <span>
#include <vector>

namespace summand::lab {

/// p-values adjusted for their number: rejecting where one is at most α keeps the probability of any wrong rejection at
/// most α. @return in the order of the p-values. Source: Holm 1979
[[nodiscard]] std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace summand::lab
