#include "lab/statistics/spectrum.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

constexpr double kLeastCycles = 0.25;
/// In cycles over the whole curve. A sinusoid's peak is about two cycles wide: none lies between two points.
constexpr double kGridStep = 0.125;
/// Golden section: 0.618^40 of a step is below the rounding of the residual.
constexpr int kRefinements = 40;

SinusoidFit fit_at(std::span<const double> centred, double frequency) {
  // Around the middle row cosine and sine have no product but with the offset, which keeps slow ones well conditioned.
  const double middle = static_cast<double>(centred.size() - 1) / 2;
  const std::complex<double> step = std::polar(1.0, 2 * std::numbers::pi * frequency);
  std::complex<double> wave = std::polar(1.0, -2 * std::numbers::pi * frequency * middle);
  Eigen::Matrix3d products = Eigen::Matrix3d::Zero();
  Eigen::Vector3d with_curve = Eigen::Vector3d::Zero();
  double squares = 0;
  for (const double value : centred) {
    const Eigen::Vector3d column(1, wave.real(), wave.imag());
    products.noalias() += column * column.transpose();
    with_curve += column * value;
    squares += value * value;
    wave *= step;
  }
  // At half a cycle per row one of the two vanishes on all rows: it has a pivot of zero, which LDLT leaves out.
  const Eigen::Vector3d solution = products.ldlt().solve(with_curve);
  return {frequency, std::hypot(solution(1), solution(2)), solution.dot(with_curve) / squares};
}

/// The best frequency between two, where there is one peak.
SinusoidFit refined(std::span<const double> centred, double low, double high) {
  const double ratio = 1 / std::numbers::phi;
  SinusoidFit left = fit_at(centred, high - ratio * (high - low));
  SinusoidFit right = fit_at(centred, low + ratio * (high - low));
  for (int i = 0; i < kRefinements; ++i) {
    if (left.r2 > right.r2) {
      high = right.cycles_per_row;
      right = left;
      left = fit_at(centred, high - ratio * (high - low));
    } else {
      low = left.cycles_per_row;
      left = right;
      right = fit_at(centred, low + ratio * (high - low));
    }
  }
  return left.r2 > right.r2 ? left : right;
}

}  // namespace

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
    amplitudes(k) = alone ? std::abs(coefficients(n - 1)) / unit
                          : std::hypot(coefficients(2 * k - 1), coefficients(2 * k)) * std::numbers::sqrt2 / unit;
  }
  return amplitudes;
}

SinusoidFit best_sinusoid(std::span<const double> curve) {
  require(curve.size() >= 8, "sinusoid fit", "expected 8 values or more");
  Vector centred = Eigen::Map<const Vector>(curve.data(), static_cast<Eigen::Index>(curve.size()));
  centred.array() -= centred.mean();
  require(centred.squaredNorm() > 0, "sinusoid fit", "expected values that differ");
  const auto rows = static_cast<double>(curve.size());
  SinusoidFit best;
  for (double cycles = kLeastCycles; cycles <= rows / 2; cycles += kGridStep) {
    const SinusoidFit fit = fit_at(elements(centred), cycles / rows);
    if (fit.r2 > best.r2) best = fit;
  }
  const double low = std::max(kLeastCycles / rows, best.cycles_per_row - kGridStep / rows);
  const double high = std::min(0.5, best.cycles_per_row + kGridStep / rows);
  const SinusoidFit peak = refined(elements(centred), low, high);
  return peak.r2 > best.r2 ? peak : best;
}

}  // namespace summand::lab
