#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "python/binding/python.hpp"
#include "summand/matrix.hpp"

namespace summand::python {

template <class T>
using Array = nb::ndarray<nb::numpy, T>;

/// A NumPy array that takes over the elements: no copy.
template <class T>
Array<T> to_numpy(std::vector<T> elements, std::vector<size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(elements));
  T* data = owned->data();
  const nb::capsule owner(owned.release(),
                          [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return Array<T>(data, shape.size(), shape.data(), owner);
}

template <class T>
Array<T> to_numpy(Matrix<T> matrix) {
  const std::vector<size_t> shape{matrix.rows(), matrix.columns()};
  return to_numpy(matrix.release(), shape);
}

/// A float32 matrix that a caller gave, rows one after another: [rows, columns].
using FloatRows = nb::ndarray<const float, nb::ndim<2>, nb::device::cpu>;

/// @param argument  its name, for messages
/// @throws UsageError if the elements of a row do not lie one after another
[[nodiscard]] MatrixView<const float> view_of(const FloatRows& rows, std::string_view argument);

}  // namespace summand::python
