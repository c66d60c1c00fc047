#pragma once

#include <algorithm>

#include "base/matrix.hpp"
#include "base/matrix_view.hpp"

namespace summand {

/// The rows of a view, without gaps.
template <class T>
[[nodiscard]] Matrix<T> copy_of(MatrixView<const T> rows) {
  Matrix<T> copy(rows.rows(), rows.columns());
  for (size_t row = 0; row < rows.rows(); ++row) std::ranges::copy(rows.row(row), copy.row(row).begin());
  return copy;
}

}  // namespace summand
