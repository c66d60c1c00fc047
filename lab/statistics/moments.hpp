#pragma once

#include <span>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// @throws UsageError if there is no value, here and below
[[nodiscard]] double mean(std::span<const double> values);

/// Of the values themselves: divided by their count, not by one less.
[[nodiscard]] double standard_deviation(std::span<const double> values);

/// m₄ / m₂² of the centred values: 3 for a normal law, 1.8 for a uniform one. Not less 3.
/// @throws UsageError if all values are equal
[[nodiscard]] double kurtosis(std::span<const double> values);

/// Linear between the two nearest order statistics. @param probability  in [0, 1]
/// Source: Hyndman & Fan 1996, definition 7
[[nodiscard]] double quantile(std::span<const double> values, double probability);
[[nodiscard]] double median(std::span<const double> values);

/// The fraction of values with |value| > threshold.
[[nodiscard]] double tail_fraction(std::span<const double> values, double threshold);

/// @return [columns]
[[nodiscard]] Vector column_means(const Table& table);
/// Divided by the count of rows. @return [columns]
[[nodiscard]] Vector column_deviations(const Table& table);
/// Every column less its mean.
[[nodiscard]] Table centred(const Table& table);

}  // namespace summand::lab
