#include "lab/experiments/kernel/kernels.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/statistics/lag_kernel.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr int kIntervals = 8192;
constexpr int kBases = 111;            // every twentieth of a decade
constexpr int kFrequencies = 160;      // on a logarithmic grid up to π
constexpr double kLeastCycles = 0.25;  // over all distances: slower waves are hardly told from the offset
constexpr int kSweeps = 400;

/// How many pairs of a table of this many rows have each distance; distance 0 is left out of fits.
Vector pair_counts(Index distances) {
  Vector counts = Vector::LinSpaced(distances, static_cast<double>(distances), 1);
  counts(0) = 0;
  return counts;
}

double weighted_energy(const Vector& values, const Vector& weights) {
  const double mean = values.dot(weights) / weights.sum();
  return ((values.array() - mean).square() * weights.array()).sum();
}

/// R² of offset + scale · shape.
double affine_r2(const Vector& kernel, const Vector& shape, const Vector& weights) {
  const double whole = weights.sum();
  const Vector x = shape.array() - shape.dot(weights) / whole;
  const Vector y = kernel.array() - kernel.dot(weights) / whole;
  const double xy = (x.array() * y.array() * weights.array()).sum();
  const double xx = (x.array().square() * weights.array()).sum();
  const double yy = (y.array().square() * weights.array()).sum();
  return xx > 0 && yy > 0 && xy > 0 ? xy * xy / (xx * yy) : 0;
}

}  // namespace

Frequency exponential_frequency(double base) {
  return [base](double t) { return std::pow(base, -t); };
}

Frequency power_frequency(double power) {
  return [power](double t) { return std::pow(t, power); };
}

Vector sum_kernel(const Frequency& frequency, size_t columns, size_t distances) {
  const size_t pairs = columns / 2;
  require(pairs >= 1 && distances >= 1, "kernel", "expected two columns or more and a distance");
  Vector kernel = Vector::Zero(static_cast<Index>(distances));
  for (size_t i = 0; i < pairs; ++i) {
    const double theta = frequency(static_cast<double>(i) / static_cast<double>(pairs));
    for (Index x = 0; x < kernel.size(); ++x) kernel(x) += std::cos(static_cast<double>(x) * theta);
  }
  return kernel / static_cast<double>(pairs);
}

Vector integral_kernel(const Frequency& frequency, size_t distances) {
  Vector kernel = Vector::Zero(static_cast<Index>(distances));
  for (int i = 0; i <= kIntervals; ++i) {
    const double weight = i == 0 || i == kIntervals ? 1 : i % 2 == 1 ? 4 : 2;
    const double theta = frequency(static_cast<double>(i) / kIntervals);
    for (Index x = 0; x < kernel.size(); ++x) kernel(x) += weight * std::cos(static_cast<double>(x) * theta);
  }
  return kernel / (3.0 * kIntervals);
}

Vector logarithmic_kernel(double base, size_t distances) {
  Vector kernel = Vector::Ones(static_cast<Index>(distances));
  for (Index x = 1; x < kernel.size(); ++x) {
    kernel(x) = 1 - (std::log(static_cast<double>(x)) + std::numbers::egamma) / std::log(base);
  }
  return kernel;
}

Vector table_kernel(const PlacedRows& rows) {
  const Vector kernel = lag_kernel(rows);
  require(kernel(0) > 0, "kernel", "expected rows that differ");
  return kernel / kernel(0);
}

size_t first_rising_step(const Vector& kernel) {
  for (Index x = 1; x < kernel.size(); ++x) {
    if (kernel(x) > kernel(x - 1)) return static_cast<size_t>(x);
  }
  return static_cast<size_t>(kernel.size());
}

double falling_share(const Vector& kernel) {
  require(kernel.size() >= 2, "kernel", "expected two distances or more");
  Index falling = 0;
  for (Index x = 1; x < kernel.size(); ++x) falling += kernel(x) < kernel(x - 1) ? 1 : 0;
  return static_cast<double>(falling) / static_cast<double>(kernel.size() - 1);
}

Vector envelope(const Vector& kernel) {
  Vector upper = kernel;
  for (Index x = upper.size() - 2; x >= 0; --x) upper(x) = std::max(upper(x), upper(x + 1));
  return upper;
}

FittedBase fit_base(const Vector& kernel, size_t columns) {
  const Vector weights = pair_counts(kernel.size());
  FittedBase best;
  for (int i = 0; i < kBases; ++i) {
    const double base = std::pow(10.0, 0.5 + 0.05 * i);
    const double r2 = affine_r2(
        kernel, sum_kernel(exponential_frequency(base), columns, static_cast<size_t>(kernel.size())), weights);
    if (i == 0 || r2 > best.r2) best = {base, r2};
  }
  return best;
}

FittedFrequencies fit_frequencies(const Vector& kernel) {
  const Index distances = kernel.size();
  const Vector weights = pair_counts(distances);
  FittedFrequencies fit{Vector(kFrequencies), Vector::Zero(kFrequencies), 0};
  Eigen::MatrixXd waves(distances, kFrequencies);
  const double least = 2 * std::numbers::pi * kLeastCycles / static_cast<double>(distances);
  for (Index f = 0; f < kFrequencies; ++f) {
    const double part = static_cast<double>(f) / (kFrequencies - 1);
    fit.frequencies(f) = least * std::pow(std::numbers::pi / least, part);
    for (Index x = 0; x < distances; ++x) waves(x, f) = std::cos(static_cast<double>(x) * fit.frequencies(f));
  }
  // The offset is free: everything is taken around its weighted mean.
  const double whole = weights.sum();
  const Eigen::MatrixXd around = waves.rowwise() - (weights.transpose() * waves) / whole;
  const Vector target = kernel.array() - kernel.dot(weights) / whole;
  const Eigen::MatrixXd gram = around.transpose() * weights.asDiagonal() * around;
  const Vector right = around.transpose() * weights.asDiagonal() * target;
  Vector slope = -right;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (Index f = 0; f < kFrequencies; ++f) {
      if (gram(f, f) <= 0) continue;
      const double moved = std::max(0.0, fit.shares(f) - slope(f) / gram(f, f));
      slope += (moved - fit.shares(f)) * gram.col(f);
      fit.shares(f) = moved;
    }
  }
  const Vector rest = target - around * fit.shares;
  const double energy = weighted_energy(kernel, weights);
  fit.r2 = energy > 0 ? 1 - weighted_energy(rest, weights) / energy : 0;
  if (fit.shares.sum() > 0) fit.shares /= fit.shares.sum();
  return fit;
}

double FittedFrequencies::quantile(double share) const {
  double sum = 0;
  for (Index f = 0; f < shares.size(); ++f) {
    sum += shares(f);
    if (sum >= share) return frequencies(f);
  }
  return frequencies(frequencies.size() - 1);
}

}  // namespace summand::lab
