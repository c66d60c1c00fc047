#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"

namespace summand {

/// A row-major matrix that owns its elements, [rows, columns], zero at first.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(size_t rows, size_t columns) : rows_(rows), columns_(columns), elements_(rows * columns) {}

  [[nodiscard]] size_t rows() const { return rows_; }
  [[nodiscard]] size_t columns() const { return columns_; }
  [[nodiscard]] bool empty() const { return elements_.empty(); }
  [[nodiscard]] std::span<const T> elements() const { return elements_; }
  [[nodiscard]] std::span<T> elements() { return elements_; }
  [[nodiscard]] std::span<const T> row(size_t index) const { return view().row(index); }
  [[nodiscard]] std::span<T> row(size_t index) { return view().row(index); }
  [[nodiscard]] const T& operator()(size_t row_index, size_t column) const { return view()(row_index, column); }
  [[nodiscard]] T& operator()(size_t row_index, size_t column) { return view()(row_index, column); }

  [[nodiscard]] MatrixView<const T> view() const { return {elements_.data(), rows_, columns_}; }
  [[nodiscard]] MatrixView<T> view() { return {elements_.data(), rows_, columns_}; }

 private:
  size_t rows_ = 0;
  size_t columns_ = 0;
  std::vector<T> elements_;
};

}  // namespace summand
