#include "calibration/second_moment.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "engine/kernels/kernel_set.hpp"
#include "engine/layers/packed_linear.hpp"
#include "model/tensor.hpp"

namespace summand::calibration {

namespace {

constexpr size_t kRowsAtATime = 512;

}  // namespace

std::vector<double> column_means(MatrixView<const float> rows) {
  SUMMAND_ASSERT(rows.rows() > 0);
  std::vector<double> means(rows.columns());
  for (size_t row = 0; row < rows.rows(); ++row) {
    for (size_t k = 0; k < means.size(); ++k) means[k] += rows(row, k);
  }
  for (double& mean : means) mean /= static_cast<double>(rows.rows());
  return means;
}

Matrix<double> covariance(MatrixView<const float> rows, std::span<const float> factors) {
  const size_t columns = rows.columns();
  const auto means = column_means(rows);
  const engine::SinglePrecisionKernels& kernels = *engine::chosen_kernel_set().single_precision;
  const model::Tensor zeros = model::make_tensor({columns}, std::vector<float>(columns));
  Matrix<double> result(columns, columns);
  Matrix<float> part(columns, columns);
  for (size_t begin = 0; begin < rows.rows(); begin += kRowsAtATime) {
    const size_t count = std::min(kRowsAtATime, rows.rows() - begin);
    Matrix<float> turned(columns, count);  // so that the sums go over tokens
    for (size_t row = 0; row < count; ++row) {
      for (size_t k = 0; k < columns; ++k) {
        turned(k, row) = static_cast<float>((double{rows(begin + row, k)} - means[k]) * factors[k]);
      }
    }
    const engine::PackedLinear product(model::make_tensor({columns, count}, turned.elements()), zeros);
    product.multiply(kernels, std::as_const(turned).view(), part.view());
    for (size_t i = 0; i < result.elements().size(); ++i) result.elements()[i] += part.elements()[i];
  }
  for (double& element : result.elements()) element /= static_cast<double>(rows.rows());
  return result;
}

}  // namespace summand::calibration
