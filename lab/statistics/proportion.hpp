#pragma once

#include <cstddef>
#include <span>

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

/// Of the difference of two shares of the same trials, by each trial's own difference, from -1 to 1: that of matched
/// proportions with half a trial added to each of the four ways in which two may come out, so that it has a width where
/// nothing, or everything, was seen.
/// @throws UsageError if there is no trial
/// Source: Agresti & Min 2005, "Simple improved confidence intervals for comparing matched proportions", section 3
[[nodiscard]] Interval difference_of_matched_shares(std::span<const double> differences);

}  // namespace summand::lab
