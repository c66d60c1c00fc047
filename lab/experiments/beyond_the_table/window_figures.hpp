#pragma once

#include <cstddef>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/experiments/beyond_the_table/window_numbers.hpp"

namespace summand::lab {

/// Tokens' cosine by block of positions. @param rows  of the table
[[nodiscard]] Figure windows_figure(const WindowsMeasured& measured, size_t rows);
/// Accuracy on masked words by block of positions.
[[nodiscard]] Figure masked_figure(const WindowsMeasured& measured, size_t rows);
/// What every way keeps, with its interval.
[[nodiscard]] Figure kept_figure(const Numbers& numbers, const std::vector<LongerTable>& tables);

}  // namespace summand::lab
