#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "summand/assert.hpp"
#include "summand/error.hpp"

namespace summand {

/// A view of a row-major matrix: [rows, columns], `stride` elements from one row to the next. Valid as long as the
/// elements.
///
/// Thread-safety: reading is safe from any number of threads, as with std::span.
template <class T>
class MatrixView {
 public:
  /// An empty view.
  MatrixView() = default;
  /// Contiguous rows.
  MatrixView(T* data, size_t rows, size_t columns) : MatrixView(data, rows, columns, columns) {}
  /// Rows `stride` elements apart; `stride` is at least `columns`.
  MatrixView(T* data, size_t rows, size_t columns, size_t stride)
      : data_(data), rows_(rows), columns_(columns), stride_(stride) {
    SUMMAND_ASSERT(stride >= columns);
  }
  /// A view of mutable elements converts to a view of constant ones.
  template <class U>
  requires std::is_same_v<const U, T> MatrixView(MatrixView<U> other)  // NOLINT: implicit, as for std::span
      : MatrixView(other.data(), other.rows(), other.columns(), other.stride()) {}

  /// The first element of the first row.
  [[nodiscard]] T* data() const { return data_; }
  /// Number of rows.
  [[nodiscard]] size_t rows() const { return rows_; }
  /// Number of columns.
  [[nodiscard]] size_t columns() const { return columns_; }
  /// Elements from the start of one row to the start of the next.
  [[nodiscard]] size_t stride() const { return stride_; }
  /// Whether it has no elements.
  [[nodiscard]] bool empty() const { return rows_ == 0 || columns_ == 0; }

  /// One row, [columns]. @param index  below rows()
  [[nodiscard]] std::span<T> row(size_t index) const {
    SUMMAND_ASSERT(index < rows_);
    return {data_ + index * stride_, columns_};
  }
  /// One element; the indices are not checked.
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

/// A row-major matrix that owns its elements: [rows, columns], initially zero.
///
/// Thread-safety: as std::vector: const members may be called from several threads at once.
template <class T>
class Matrix {
 public:
  /// No rows and no columns.
  Matrix() = default;
  /// All elements zero.
  Matrix(size_t rows, size_t columns) : rows_(rows), columns_(columns), elements_(rows * columns) {}
  /// Moves in the elements, row by row.
  /// @throws UsageError if there are not rows × columns of them
  Matrix(size_t rows, size_t columns, std::vector<T> elements)
      : rows_(rows), columns_(columns), elements_(std::move(elements)) {
    if (columns != 0 ? elements_.size() % columns == 0 && elements_.size() / columns == rows : elements_.empty())
      return;
    throw UsageError("matrix", "expected " + std::to_string(rows) + " rows of " + std::to_string(columns) +
                                   " elements, got " + std::to_string(elements_.size()) + " elements");
  }

  /// Number of rows.
  [[nodiscard]] size_t rows() const { return rows_; }
  /// Number of columns.
  [[nodiscard]] size_t columns() const { return columns_; }
  /// Whether it has no elements.
  [[nodiscard]] bool empty() const { return elements_.empty(); }
  /// All elements, row by row, [rows × columns].
  [[nodiscard]] std::span<const T> elements() const& { return elements_; }
  /// All elements, row by row, [rows × columns].
  [[nodiscard]] std::span<T> elements() & { return elements_; }
  /// Deleted: a view of a temporary would dangle. Give the matrix a name first.
  std::span<const T> elements() const&& = delete;
  /// One row, [columns]. @param index  below rows()
  [[nodiscard]] std::span<const T> row(size_t index) const& { return view().row(index); }
  /// One row, [columns]. @param index  below rows()
  [[nodiscard]] std::span<T> row(size_t index) & { return view().row(index); }
  /// Deleted as for elements(): `for (float x : model.embed(texts).vectors.row(0))` would dangle.
  std::span<const T> row(size_t index) const&& = delete;
  /// One element; the indices are not checked.
  [[nodiscard]] const T& operator()(size_t row_index, size_t column) const { return view()(row_index, column); }
  /// One element; the indices are not checked.
  [[nodiscard]] T& operator()(size_t row_index, size_t column) { return view()(row_index, column); }

  /// Moves out the elements, row by row; the matrix is then empty.
  [[nodiscard]] std::vector<T> release() {
    rows_ = columns_ = 0;
    return std::exchange(elements_, {});
  }

  /// The whole matrix; valid until it is resized or destroyed.
  [[nodiscard]] MatrixView<const T> view() const& { return {elements_.data(), rows_, columns_}; }
  /// The whole matrix; valid until it is resized or destroyed.
  [[nodiscard]] MatrixView<T> view() & { return {elements_.data(), rows_, columns_}; }
  /// Deleted as for elements().
  MatrixView<const T> view() const&& = delete;

 private:
  size_t rows_ = 0;
  size_t columns_ = 0;
  std::vector<T> elements_;
};

}  // namespace summand
