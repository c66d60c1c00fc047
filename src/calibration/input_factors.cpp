#include "calibration/input_factors.hpp"

#include <algorithm>
#include <cmath>

namespace summand::calibration {

namespace {

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

struct Sizes {
  std::vector<double> inputs;   // root mean square of each coordinate
  std::vector<double> weights;  // of each column, outputs weighed by their importance
};

/// The mean square of what a row of inputs spans, zero included.
double squared_range(MatrixView<const float> inputs, std::span<const float> factors) {
  double total = 0;
  for (size_t row = 0; row < inputs.rows(); ++row) {
    float least = 0;
    float most = 0;
    for (size_t k = 0; k < factors.size(); ++k) {
      const float value = inputs(row, k) * factors[k];
      least = std::min(least, value);
      most = std::max(most, value);
    }
    total += std::pow(double{most} - double{least}, 2);
  }
  return total / static_cast<double>(inputs.rows());
}

/// Twelve times the expected square of the outputs' error for a row of inputs.
double expected_error(const FactorTask& task, const Sizes& sizes, std::span<const float> factors) {
  double read = 0;   // of an error of one step in each coordinate, what reaches the outputs
  double given = 0;  // likewise of one step in each weight
  for (size_t k = 0; k < factors.size(); ++k) {
    read += std::pow(sizes.weights[k] / factors[k], 2);
    given += std::pow(sizes.inputs[k] * factors[k], 2);
  }
  double weight_steps = 0;
  for (size_t row = 0; row < task.weight.rows(); ++row) {
    float largest = 0;
    for (size_t k = 0; k < factors.size(); ++k) {
      largest = std::max(largest, std::abs(task.weight(row, k)) / factors[k]);
    }
    weight_steps += task.importances[row] * std::pow(double{largest} / 127, 2);
  }
  return squared_range(task.inputs, factors) / (255.0 * 255.0) * read + weight_steps * given;
}

}  // namespace

std::vector<float> input_factors(const FactorTask& task) {
  constexpr int kTried = 17;
  constexpr double kStep = 0.05;
  const Sizes of{sizes(task.inputs, {}, static_cast<double>(task.inputs.rows())),
                 sizes(task.weight, task.importances, 1)};
  std::vector<float> best(task.inputs.columns(), 1.0F);
  if (of.inputs.empty() || of.inputs[0] == 0 || of.weights[0] == 0) return best;
  double least = expected_error(task, of, best);
  std::vector<double> logarithms(best.size());
  for (int i = 0; i < kTried; ++i) {
    const double share = kStep * i;
    for (size_t k = 0; k < best.size(); ++k) {
      logarithms[k] = (1 - share) * std::log(of.weights[k]) - share * std::log(of.inputs[k]);
    }
    auto factors = normalised(logarithms);
    const double error = expected_error(task, of, factors);
    if (error >= least) continue;
    least = error;
    best = std::move(factors);
  }
  return best;
}

}  // namespace summand::calibration
