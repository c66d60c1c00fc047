#include "calibration/input_factors.hpp"

#include <algorithm>
#include <cmath>

namespace summand::calibration {

namespace {

/// Of the two, how much the inputs decide; chosen by what it gave (docs/decisions/int8-checkpoints.md).
constexpr double kShare = 0.4;
constexpr double kLeastFactor = 0x1p-20;
constexpr double kLargestFactor = 0x1p20;
/// A coordinate that never differs from zero, or that no output reads, counts as this part of the largest.
constexpr double kLeastSize = 1e-6;

/// Sums over the rows of weight · the square of each coordinate, divided by `count`, and their roots.
std::vector<double> sizes(MatrixView<const float> rows, std::span<const float> weights, double count) {
  std::vector<double> squares(rows.columns());
  for (size_t row = 0; row < rows.rows(); ++row) {
    const double weight = weights.empty() ? 1 : double{weights[row]};
    for (size_t k = 0; k < squares.size(); ++k) squares[k] += weight * rows(row, k) * rows(row, k);
  }
  for (double& square : squares) square = std::sqrt(square / count);
  const double floor = squares.empty() ? 0 : kLeastSize * *std::ranges::max_element(squares);
  for (double& size : squares) size = size > 0 ? std::max(size, floor) : floor;
  return squares;
}

/// Makes the geometric mean one.
std::vector<float> normalised(std::span<const double> logarithms) {
  double mean = 0;
  for (const double logarithm : logarithms) mean += logarithm / static_cast<double>(logarithms.size());
  std::vector<float> factors;
  for (const double logarithm : logarithms) {
    factors.push_back(static_cast<float>(std::clamp(std::exp(logarithm - mean), kLeastFactor, kLargestFactor)));
  }
  return factors;
}

}  // namespace

std::vector<float> input_factors(const FactorTask& task) {
  const auto inputs = sizes(task.inputs, {}, static_cast<double>(task.inputs.rows()));
  const auto weights = sizes(task.weight, task.importances, 1);
  if (inputs.empty() || inputs[0] == 0 || weights[0] == 0) return std::vector<float>(task.inputs.columns(), 1.0F);
  std::vector<double> logarithms(inputs.size());
  for (size_t k = 0; k < logarithms.size(); ++k) {
    logarithms[k] = (1 - kShare) * std::log(weights[k]) - kShare * std::log(inputs[k]);
  }
  return normalised(logarithms);
}

}  // namespace summand::calibration
