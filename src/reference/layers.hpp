#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "model/layer_norm.hpp"
#include "model/weights.hpp"
#include "reference/dual.hpp"
#include "reference/dual_vector.hpp"
#include "reference/functions.hpp"

namespace summand::reference {

/// y = W·x + b, torch.nn.Linear. The matrix lies transposed, [in, out], so that the inner loop runs along memory.
template <class Scalar>
struct Linear {
  using Real = typename RealOf<Scalar>::Type;

  /// Results that are summed side by side: few enough to stay in the nearest cache, however large a scalar is.
  static constexpr size_t kBlock = std::max<size_t>(8, 4096 / sizeof(Scalar));

  Matrix<Real> weight;
  std::vector<Real> bias;

  /// @param matrix  [out, in]
  Linear(const model::Tensor& matrix, const model::Tensor& offset) {
    const auto rows = model::to_matrix<Real>(matrix);
    weight = Matrix<Real>(rows.columns(), rows.rows());
    for (size_t row = 0; row < rows.rows(); ++row) {
      for (size_t column = 0; column < rows.columns(); ++column) weight(column, row) = rows(row, column);
    }
    const auto values = model::to_floats(offset);
    bias.assign(values.begin(), values.end());
  }
  /// @param name  as in "pooler.dense"
  Linear(const model::Weights& weights, const std::string& name)
      : Linear(weights.at(name + ".weight"), weights.at(name + ".bias")) {}

  /// Every result is summed in the order of its inputs, then the bias; what lies outside that order is only which
  /// results are summed side by side.
  [[nodiscard]] Matrix<Scalar> operator()(const Matrix<Scalar>& input) const {
    Matrix<Scalar> result(input.rows(), weight.columns());
    for (size_t begin = 0; begin < weight.columns(); begin += kBlock) {
      const size_t end = std::min(weight.columns(), begin + kBlock);
      size_t k = 0;
      for (; k + kTogether <= weight.rows(); k += kTogether) add<kTogether>(result, input, k, begin, end);
      for (; k < weight.rows(); ++k) add<1>(result, input, k, begin, end);
      for (size_t row = 0; row < result.rows(); ++row) {
        for (size_t j = begin; j < end; ++j) result(row, j) = result(row, j) + Scalar(bias[j]);
      }
    }
    return result;
  }

 private:
  /// Inputs that are added to a result while it is at hand.
  static constexpr size_t kTogether = 4;

  /// Adds inputs k … k + Count − 1 to results begin … end − 1 of every row.
  template <size_t Count>
  void add(Matrix<Scalar>& result, const Matrix<Scalar>& input, size_t k, size_t begin, size_t end) const {
    for (size_t row = 0; row < input.rows(); ++row) {
      const auto out = result.row(row);
      const auto in = input.row(row).subspan(k, Count);
      for (size_t j = begin; j < end; ++j) {
        for (size_t i = 0; i < Count; ++i) add_weighted(out[j], in[i], weight(k + i, j));
      }
    }
  }
};

/// Layer normalisation of every row, torch.nn.LayerNorm.
template <class Scalar>
struct Norm {
  using Real = typename RealOf<Scalar>::Type;

  std::vector<Real> weight;
  std::vector<Real> bias;
  double epsilon = 0;

  /// @param name  as in "embeddings.LayerNorm"
  Norm(const model::Weights& weights, const std::string& name, double of_epsilon) : epsilon(of_epsilon) {
    const auto factors = model::to_floats(weights.at(name + ".weight"));
    const auto offsets = model::to_floats(weights.at(name + ".bias"));
    weight.assign(factors.begin(), factors.end());
    bias.assign(offsets.begin(), offsets.end());
  }

  void operator()(Matrix<Scalar>& rows) const {
    for (size_t row = 0; row < rows.rows(); ++row) {
      model::layer_norm<Scalar, Real>(rows.row(row), weight, bias, epsilon);
    }
  }
};

}  // namespace summand::reference
