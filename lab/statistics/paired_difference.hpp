#pragma once

#include <cstddef>
#include <span>

#include "lab/statistics/interval.hpp"

namespace summand::lab {

/// The mean of paired differences, studentised. Source: Student 1908; equivalence: Schuirmann 1987
class PairedDifference {
 public:
  /// @param differences  two or more
  /// @throws UsageError if there are fewer
  explicit PairedDifference(std::span<const double> differences);

  [[nodiscard]] double mean() const { return mean_; }
  /// Of one difference, divided by one less than their count.
  [[nodiscard]] double deviation() const { return deviation_; }
  [[nodiscard]] size_t pairs() const { return pairs_; }

  /// @param level  0.95: the middle 95 %
  [[nodiscard]] Interval interval(double level) const;
  /// One-sided p-values against "the mean is at most the bound", and "at least the bound".
  [[nodiscard]] double p_above(double bound) const;
  [[nodiscard]] double p_below(double bound) const;
  /// Against "the mean lies beyond ±margin": the larger of two one-sided tests.
  [[nodiscard]] double p_equivalent(double margin) const;

 private:
  double mean_ = 0, deviation_ = 0;
  double error_ = 0;  // standard error of the mean
  size_t pairs_ = 0;
};

}  // namespace summand::lab
