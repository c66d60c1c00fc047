#pragma once

#include <cstddef>
#include <functional>

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

// Inner products of positions as functions of their distance, divided by the one at distance 0.

/// θ of t in [0, 1]: the frequencies of a sinusoidal encoding, whose pair i of d/2 has t = i / (d/2).
using Frequency = std::function<double(double)>;

/// θ_t = base^−t. Source: Vaswani et al. 2017, section 3.5
[[nodiscard]] Frequency exponential_frequency(double base);
/// θ_t = t^power. Source: Su 2021, kexue.fm/archives/8231
[[nodiscard]] Frequency power_frequency(double power);

/// The mean of cos(distance · θ) over the pairs of columns. @return [distances], from distance 0
[[nodiscard]] Vector sum_kernel(const Frequency& frequency, size_t columns, size_t distances);
/// Its limit of ever more columns: ∫ cos(distance · θ_t) dt over [0, 1], by Simpson's rule.
[[nodiscard]] Vector integral_kernel(const Frequency& frequency, size_t distances);
/// 1 − (ln distance + γ) / ln base, for distances between 1 and the base; at distance 0: 1.
[[nodiscard]] Vector logarithmic_kernel(double base, size_t distances);

/// The mean of p_m · p_n over all kept pairs of a distance, p less the mean row, over the mean of p · p.
/// @return [span], from distance 0 @throws UsageError if the rows are all equal
[[nodiscard]] Vector table_kernel(const PlacedRows& rows);

/// The first distance at which the kernel is larger than one before; their number if it never is.
[[nodiscard]] size_t first_rising_step(const Vector& kernel);
/// The fraction of steps that fall.
[[nodiscard]] double falling_share(const Vector& kernel);
/// The largest value at this distance or beyond: never rises.
[[nodiscard]] Vector envelope(const Vector& kernel);

/// A frequency family fitted to a table's kernel: kernel ≈ offset + scale · sum_kernel, pairs of a distance weighing
/// as many as there are. The offset is there because a table without its mean row has lost a constant.
struct FittedBase {
  double base = 0;
  double r2 = 0;
};
/// The base among 10^0.5 … 10^6 that fits best.
[[nodiscard]] FittedBase fit_base(const Vector& kernel, size_t columns);

/// Frequencies without any law: which share of a table's energy turns at which θ.
struct FittedFrequencies {
  Vector frequencies;  ///< per position, from a quarter of a cycle over all distances to π
  Vector shares;       ///< not negative, sum 1
  double r2 = 0;
  /// The frequency below which this share of the energy lies: θ_t read at t = 1 − share.
  [[nodiscard]] double quantile(double share) const;
};
/// Least squares with shares of 0 or more, by coordinate descent. Source: Lawson & Hanson 1974, chapter 23 (the
/// problem); Franc et al. 2005 (the descent)
[[nodiscard]] FittedFrequencies fit_frequencies(const Vector& kernel);

}  // namespace summand::lab
