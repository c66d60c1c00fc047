#pragma once

namespace summand::lab {

[[nodiscard]] double normal_density(double x);
[[nodiscard]] double normal_cdf(double x);

/// A normal law of mean 0 that is drawn again while it lies beyond a bound, as TensorFlow's truncated_normal does:
/// what the BERT of its authors starts from, with sigma 0.02 and bound 2.
struct TruncatedNormal {
  double sigma = 0.02;  ///< of the law before it is cut
  double bound = 2;     ///< in sigmas

  [[nodiscard]] double density(double x) const;
  [[nodiscard]] double cdf(double x) const;
  /// 0.8796 sigma at bound 2.
  [[nodiscard]] double standard_deviation() const;
  /// 2.37 at bound 2.
  [[nodiscard]] double kurtosis() const;
};

}  // namespace summand::lab
