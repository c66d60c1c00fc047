#pragma once

#include <span>
#include <vector>

#include "base/matrix_view.hpp"

namespace summand::calibration {

/// A product whose inputs are to be multiplied.
struct FactorTask {
  MatrixView<const float> inputs;      ///< [tokens, in]
  MatrixView<const float> weight;      ///< [out, in]
  std::span<const float> importances;  ///< [out], how much the square of an output's error counts
};

/// The factors by which each coordinate of the inputs is multiplied before its row is rounded to 8 bits, and by which
/// the weights are divided: factor[k] = |weight[:, k]|^(1 - s) / |inputs[:, k]|^s, root mean squares, for that s of 0,
/// 0.05 … 0.8 which leaves the least expected error of both roundings; or ones, if they leave less. An error is
/// uniform over a step: of a row of inputs its range over 255, of a row of weights its largest magnitude over 127.
/// @return [in], with a geometric mean of one, from 2^-20 to 2^20
/// Source: Xiao et al. 2022, section 4, with root mean squares for maxima and s searched
[[nodiscard]] std::vector<float> input_factors(const FactorTask& task);

}  // namespace summand::calibration
