#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>

#include "lab/statistics/table.hpp"

/// One sinusoid fitted to a curve: what the laboratory's fits of waves are held against.
namespace planted {

/// offset + a·cos(2πft) + b·sin(2πft), t the row.
struct SinusoidFit {
  double cycles_per_row = 0;  ///< f
  double amplitude = 0;       ///< √(a² + b²)
  double r2 = 0;              ///< of the curve's variance
};

inline constexpr double kLeastCycles = 0.25;
/// In cycles over the whole curve. A sinusoid's peak is about two cycles wide: none lies between two points.
inline constexpr double kGridStep = 0.125;
/// Golden section: 0.618^40 of a step is below the rounding of the residual.
inline constexpr int kRefinements = 40;

inline SinusoidFit fit_at(std::span<const double> centred, double frequency) {
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
inline SinusoidFit refined(std::span<const double> centred, double low, double high) {
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

/// The least-squares fit of one sinusoid, its frequency free between a quarter of a cycle over the whole curve, under
/// which any parabola is one, and half a cycle per row.
/// @pre 8 values or more, not all equal
inline SinusoidFit best_sinusoid(std::span<const double> curve) {
  summand::lab::Vector centred =
      Eigen::Map<const summand::lab::Vector>(curve.data(), static_cast<Eigen::Index>(curve.size()));
  centred.array() -= centred.mean();
  const auto rows = static_cast<double>(curve.size());
  SinusoidFit best;
  for (double cycles = kLeastCycles; cycles <= rows / 2; cycles += kGridStep) {
    const SinusoidFit fit = fit_at(summand::lab::elements(centred), cycles / rows);
    if (fit.r2 > best.r2) best = fit;
  }
  const double low = std::max(kLeastCycles / rows, best.cycles_per_row - kGridStep / rows);
  const double high = std::min(0.5, best.cycles_per_row + kGridStep / rows);
  const SinusoidFit peak = refined(summand::lab::elements(centred), low, high);
  return peak.r2 > best.r2 ? peak : best;
}

}  // namespace planted
