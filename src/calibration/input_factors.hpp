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
/// the weights are divided: factor[k] = |weight[:, k]|^0.6 / |inputs[:, k]|^0.4, root mean squares, so that neither
/// large inputs nor large weights take the others' steps. Ones where all inputs or all weights are zeros.
/// @return [in], with a geometric mean of one, from 2^-20 to 2^20
/// Source: Xiao et al. 2022, section 4, with root mean squares for maxima
[[nodiscard]] std::vector<float> input_factors(const FactorTask& task);

}  // namespace summand::calibration
