#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/assert.hpp"
#include "base/matrix.hpp"

namespace summand::model {

/// The arithmetic that TableOps and AttentionOps have in common, one loop per index: written to be read, used wherever
/// no fused kernel exists. Sums go in the order of their inputs, so that a row's result depends on that row alone.
template <class Scalar>
class MatrixOps {
 public:
  using Value = Matrix<Scalar>;

  [[nodiscard]] Value constant(const Matrix<double>& numbers) const {
    Value value(numbers.rows(), numbers.columns());
    for (size_t i = 0; i < numbers.elements().size(); ++i) value.elements()[i] = Scalar(numbers.elements()[i]);
    return value;
  }
  [[nodiscard]] Value product(const Value& left, const Value& right) const {
    SUMMAND_ASSERT(left.columns() == right.rows());
    Value result(left.rows(), right.columns());
    for (size_t row = 0; row < left.rows(); ++row) {
      const auto to = result.row(row);
      for (size_t k = 0; k < left.columns(); ++k) {
        const auto from = right.row(k);
        for (size_t column = 0; column < to.size(); ++column) to[column] = to[column] + left(row, k) * from[column];
      }
    }
    return result;
  }
  /// left · rightᵀ
  [[nodiscard]] Value product_transposed(const Value& left, const Value& right) const {
    SUMMAND_ASSERT(left.columns() == right.columns());
    Value result(left.rows(), right.rows());
    for (size_t row = 0; row < result.rows(); ++row) {
      const auto a = left.row(row);
      for (size_t column = 0; column < result.columns(); ++column) {
        const auto b = right.row(column);
        Scalar total(0);
        for (size_t k = 0; k < a.size(); ++k) total = total + a[k] * b[k];
        result(row, column) = total;
      }
    }
    return result;
  }
  /// Rows or columns of the right one that are 1 are repeated.
  [[nodiscard]] Value plus(Value left, const Value& right) const {
    return elementwise(std::move(left), right, [](const Scalar& a, const Scalar& b) { return a + b; });
  }
  [[nodiscard]] Value times(Value left, const Value& right) const {
    return elementwise(std::move(left), right, [](const Scalar& a, const Scalar& b) { return a * b; });
  }
  [[nodiscard]] Value scaled(Value value, double factor) const {
    const auto by = Scalar(factor);
    for (Scalar& x : value.elements()) x = x * by;
    return value;
  }
  [[nodiscard]] Value sine(Value value) const {
    using std::sin;
    for (Scalar& x : value.elements()) x = sin(x);
    return value;
  }
  [[nodiscard]] Value cosine(Value value) const {
    using std::cos;
    for (Scalar& x : value.elements()) x = cos(x);
    return value;
  }
  [[nodiscard]] Value columns(const Value& value, const std::vector<size_t>& order) const {
    Value picked(value.rows(), order.size());
    for (size_t row = 0; row < picked.rows(); ++row) {
      for (size_t column = 0; column < order.size(); ++column) picked(row, column) = value(row, order[column]);
    }
    return picked;
  }
  [[nodiscard]] Value rows(const Value& value, const std::vector<size_t>& order) const {
    Value picked(order.size(), value.columns());
    for (size_t row = 0; row < picked.rows(); ++row) std::ranges::copy(value.row(order[row]), picked.row(row).begin());
    return picked;
  }
  [[nodiscard]] Value side_by_side(const Value& left, const Value& right) const {
    Value both(left.rows(), left.columns() + right.columns());
    for (size_t row = 0; row < both.rows(); ++row) {
      const auto end = std::ranges::copy(left.row(row), both.row(row).begin()).out;
      std::ranges::copy(right.row(row), end);
    }
    return both;
  }
  /// result(i, j) = value(i, indices(i, j))
  [[nodiscard]] Value by_query(const Value& value, const Matrix<int32_t>& indices) const {
    return gathered(indices, [&](size_t i, size_t, size_t index) { return value(i, index); });
  }
  /// result(i, j) = value(j, indices(i, j))
  [[nodiscard]] Value by_key(const Value& value, const Matrix<int32_t>& indices) const {
    return gathered(indices, [&](size_t, size_t j, size_t index) { return value(j, index); });
  }
  /// result(i, j) = element indices(i, j) of value, row after row
  [[nodiscard]] Value spread(const Value& value, const Matrix<int32_t>& indices) const {
    return gathered(indices, [&](size_t, size_t, size_t index) { return value.elements()[index]; });
  }
  /// result(i, c) = Σ value(i, j) over all j with indices(i, j) = c
  [[nodiscard]] Value collected(const Value& value, const Matrix<int32_t>& indices, size_t columns) const {
    Value result(value.rows(), columns);
    for (size_t i = 0; i < value.rows(); ++i) {
      for (size_t j = 0; j < value.columns(); ++j) {
        Scalar& to = result(i, static_cast<size_t>(indices(i, j)));
        to = to + value(i, j);
      }
    }
    return result;
  }

 private:
  template <class Operation>
  [[nodiscard]] static Value elementwise(Value left, const Value& right, const Operation& operation) {
    SUMMAND_ASSERT((right.rows() == left.rows() || right.rows() == 1) &&
                   (right.columns() == left.columns() || right.columns() == 1));
    const size_t step = right.columns() == 1 ? 0 : 1;
    for (size_t row = 0; row < left.rows(); ++row) {
      const auto to = left.row(row);
      const auto from = right.row(right.rows() == 1 ? 0 : row);
      for (size_t i = 0; i < to.size(); ++i) to[i] = operation(to[i], from[step * i]);
    }
    return left;
  }
  template <class Pick>
  [[nodiscard]] static Value gathered(const Matrix<int32_t>& indices, const Pick& pick) {
    Value result(indices.rows(), indices.columns());
    for (size_t i = 0; i < result.rows(); ++i) {
      for (size_t j = 0; j < result.columns(); ++j) result(i, j) = pick(i, j, static_cast<size_t>(indices(i, j)));
    }
    return result;
  }
};

}  // namespace summand::model
