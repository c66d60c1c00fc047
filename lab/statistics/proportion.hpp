#pragma once

#include <cstddef>

#include "lab/statistics/interval.hpp"

namespace summand::lab {

/// Where the probability lies of which so many of so many independent trials were seen: exact, 95 % and more.
/// @throws UsageError if there is no trial, or more were seen than there are
/// Source: Clopper & Pearson 1934
[[nodiscard]] Interval exact_proportion(size_t seen, size_t trials);

/// The same by the score test: shorter, and 95 % on the average. @throws UsageError as exact_proportion()
/// Source: Wilson 1927
[[nodiscard]] Interval wilson_proportion(size_t seen, size_t trials);

}  // namespace summand::lab
