#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/matrix.hpp"
#include "model/tensor.hpp"

namespace summand::model {

/// The parameters of one model: name → tensor, under the names that parameters() lists (Hugging Face's, without a
/// `bert.` prefix). Copying is cheap and shares the elements; an experiment copies, replaces one tensor and builds a
/// model from the copy.
///
/// Thread-safety: const members may be called from several threads at once.
class Weights {
 public:
  using Map = std::map<std::string, Tensor, std::less<>>;

  /// Adds or replaces a tensor.
  void set(std::string name, Tensor tensor);
  void erase(std::string_view name);

  [[nodiscard]] const Tensor* find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// @throws CheckpointError naming the tensor if it is not there
  [[nodiscard]] const Tensor& at(std::string_view name) const;

  [[nodiscard]] Map::const_iterator begin() const { return tensors_.begin(); }
  [[nodiscard]] Map::const_iterator end() const { return tensors_.end(); }
  [[nodiscard]] size_t size() const { return tensors_.size(); }

 private:
  Map tensors_;
};

/// A tensor of one or two dimensions as a matrix; one dimension makes a single row.
template <class Scalar>
[[nodiscard]] Matrix<Scalar> to_matrix(const Tensor& tensor) {
  const size_t rows = tensor.shape.size() < 2 ? 1 : tensor.shape[0];
  Matrix<Scalar> matrix(rows, rows == 0 ? 0 : tensor.elements() / rows);
  const auto values = to_floats(tensor);
  for (size_t i = 0; i < values.size(); ++i) matrix.elements()[i] = Scalar(values[i]);
  return matrix;
}

}  // namespace summand::model
