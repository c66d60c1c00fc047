#include "lab/statistics/scores.hpp"

#include <cmath>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

Scores scores(std::span<const double> predicted, std::span<const double> truth) {
  require(predicted.size() == truth.size() && !truth.empty(), "scores", "expected a prediction for every truth");
  Scores result;
  for (size_t i = 0; i < truth.size(); ++i) {
    const double error = predicted[i] - truth[i];
    result.mse += error * error / static_cast<double>(truth.size());
    result.mae += std::abs(error) / static_cast<double>(truth.size());
  }
  const double deviation = standard_deviation(truth);
  result.variance = deviation * deviation;
  result.r2 = result.variance > 0 ? 1 - result.mse / result.variance : (result.mse == 0 ? 1 : 0);
  return result;
}

}  // namespace summand::lab
