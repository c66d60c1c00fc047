#pragma once

#include <span>

namespace summand::lab {

/// How far predictions lie from the truth.
struct Scores {
  double mse = 0;       ///< mean squared error
  double mae = 0;       ///< mean absolute error
  double r2 = 0;        ///< 1 − mse / variance of the truth; of a constant truth 1 if met and 0 if not
  double variance = 0;  ///< of the truth: the mse of its mean
};

/// @throws UsageError if the two differ in length or are empty
[[nodiscard]] Scores scores(std::span<const double> predicted, std::span<const double> truth);

}  // namespace summand::lab
