#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix.hpp"
#include "base/matrix_view.hpp"
#include "model/quantization.hpp"

namespace summand::calibration {

/// Rounds the weights of a product so that later ones take up what rounding did to earlier ones. Of all roundings with
/// given values of the weights before, a weight's value is the one that leaves the least error of the product's outputs
/// if those behind it could be any numbers. Inputs that vary most come first.
///
/// With H the covariance of the inputs and H = M·M^T, M upper triangular, the error of an output with weights off by e
/// is |M^T·e|^2, whose term j has e up to j alone: weight j is rounded at w[j] + sum of M[k, j] / M[j, j] · e[k], k <
/// j. That is GPTQ's rounding (Frantar et al. 2022, algorithm 1) without the inverse of H (Chen et al. 2025,
/// theorem 4.1: Babai's nearest plane).
class CompensatedRounding {
 public:
  /// @param covariance  [in, in], of the inputs as they are rounded; a hundredth of the diagonal's mean is added to it
  explicit CompensatedRounding(const Matrix<double>& covariance);

  /// Rounds one layer's weights, with scales as model::quantize_weight has them.
  /// @param weight  [out, in], finite
  /// @return without factors
  [[nodiscard]] model::QuantizedWeight round(MatrixView<const float> weight) const;

 private:
  std::vector<size_t> order_;  // [in], which input comes first
  Matrix<double> triangle_;    // [in, in], row j: column j of M over its last entry, up to j
};

}  // namespace summand::calibration
