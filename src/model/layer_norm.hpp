#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace summand::model {

/// Replaces a row by (x - mean)/√(variance + epsilon)·weight + bias; the variance divides by the width.
/// @param weight, bias  as many numbers; of the row's type, or plain ones
/// Source: Ba et al. 2016, equation 4
template <class Scalar, class Weight>
void layer_norm(std::span<Scalar> row, std::span<const Weight> weight, std::span<const Weight> bias, double epsilon) {
  using std::sqrt;
  const auto width = Scalar(static_cast<double>(row.size()));
  Scalar mean(0);
  for (const Scalar& x : row) mean = mean + x;
  mean = mean / width;
  Scalar variance(0);
  for (const Scalar& x : row) variance = variance + (x - mean) * (x - mean);
  const Scalar deviation = sqrt(variance / width + Scalar(epsilon));
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = (row[i] - mean) / deviation * weight[i] + Scalar(bias[i]);
  }
}

}  // namespace summand::model
