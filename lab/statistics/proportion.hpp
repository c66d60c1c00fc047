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

/// Of a share that is a mean over so many trials, each between 0 and 1.
/// @throws UsageError if there is no trial, or the share lies elsewhere
[[nodiscard]] Interval wilson_share(double share, size_t trials);

/// Of the difference of two such shares, drawn apart: what is paired is narrower.
/// @throws UsageError as wilson_share()
/// Source: Newcombe 1998, "Interval estimation for the difference between independent proportions", method 10
[[nodiscard]] Interval difference_of_shares(double first, double second, size_t trials);

}  // namespace summand::lab
