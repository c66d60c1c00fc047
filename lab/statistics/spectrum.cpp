#include "lab/statistics/spectrum.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "lab/statistics/require.hpp"

namespace summand::lab {

Table real_fourier_basis(size_t length) {
  require(length >= 1, "Fourier basis", "expected a length of 1 or more");
  const auto n = static_cast<Eigen::Index>(length);
  Table basis(n, n);
  for (Eigen::Index row = 0; row < n; ++row) {
    const Eigen::Index cycles = (row + 1) / 2;
    const bool alone = cycles == 0 || 2 * cycles == n;
    const double scale = std::sqrt((alone ? 1.0 : 2.0) / static_cast<double>(n));
    for (Eigen::Index t = 0; t < n; ++t) {
      // The product is reduced first: angles stay small and exact.
      const double angle = 2 * std::numbers::pi * static_cast<double>(cycles * t % n) / static_cast<double>(n);
      basis(row, t) = scale * (row % 2 == 1 || cycles == 0 ? std::cos(angle) : std::sin(angle));
    }
  }
  return basis;
}

Vector amplitude_spectrum(std::span<const double> curve) {
  const Eigen::Map<const Vector> x(curve.data(), static_cast<Eigen::Index>(curve.size()));
  const Vector coefficients = real_fourier_basis(curve.size()) * x;
  const Eigen::Index n = x.size();
  const double unit = std::sqrt(static_cast<double>(n));
  Vector amplitudes(n / 2 + 1);
  amplitudes(0) = std::abs(coefficients(0)) / unit;
  for (Eigen::Index k = 1; k < amplitudes.size(); ++k) {
    const bool alone = 2 * k == n;
    amplitudes(k) =
        alone ? std::abs(coefficients(n - 1)) / unit
              : std::abs(std::complex(coefficients(2 * k - 1), coefficients(2 * k))) * std::numbers::sqrt2 / unit;
  }
  return amplitudes;
}

}  // namespace summand::lab
