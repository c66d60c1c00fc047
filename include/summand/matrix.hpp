#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "summand/assert.hpp"

namespace summand {

/// A row-major matrix that somebody else owns: [rows, columns], `stride` elements from one row to the next.
template <class T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, size_t rows, size_t columns) : MatrixView(data, rows, columns, columns) {}
  MatrixView(T* data, size_t rows, size_t columns, size_t stride)
      : data_(data), rows_(rows), columns_(columns), stride_(stride) {
    SUMMAND_ASSERT(stride >= columns);
  }
  /// A view of mutable elements is a view of constant ones.
  template <class U>
  requires std::is_same_v<const U, T> MatrixView(MatrixView<U> other)  // NOLINT: implicit, as for std::span
      : MatrixView(other.data(), other.rows(), other.columns(), other.stride()) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] size_t rows() const { return rows_; }
  [[nodiscard]] size_t columns() const { return columns_; }
  [[nodiscard]] size_t stride() const { return stride_; }
  [[nodiscard]] bool empty() const { return rows_ == 0 || columns_ == 0; }

  [[nodiscard]] std::span<T> row(size_t index) const {
    SUMMAND_ASSERT(index < rows_);
    return {data_ + index * stride_, columns_};
  }
  [[nodiscard]] T& operator()(size_t row_index, size_t column) const {
    SUMMAND_ASSERT(row_index < rows_ && column < columns_);
    return data_[row_index * stride_ + column];
  }
  /// Rows [begin, begin + count).
  [[nodiscard]] MatrixView middle_rows(size_t begin, size_t count) const {
    SUMMAND_ASSERT(begin + count <= rows_);
    return {data_ + begin * stride_, count, columns_, stride_};
  }
  /// Columns [begin, begin + count).
  [[nodiscard]] MatrixView middle_columns(size_t begin, size_t count) const {
    SUMMAND_ASSERT(begin + count <= columns_);
    return {data_ + begin, rows_, count, stride_};
  }

 private:
  T* data_ = nullptr;
  size_t rows_ = 0;
  size_t columns_ = 0;
  size_t stride_ = 0;
};

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
