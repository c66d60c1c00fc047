#pragma once

#include <span>

namespace summand::lab {

/// Kendall's τ-b: 1 if both have one order, −1 if opposite orders; ties lower neither bound. Takes n² steps.
/// @return 0 if one of the two is constant
/// @throws UsageError if the two differ in length or have less than two values
/// Source: Kendall 1945
[[nodiscard]] double kendall_tau(std::span<const double> a, std::span<const double> b);

}  // namespace summand::lab
