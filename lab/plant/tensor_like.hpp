#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lab/statistics/table.hpp"
#include "model/tensor.hpp"

namespace summand::lab {

/// The table's numbers in single precision, in another tensor's shape. @pre as many numbers
[[nodiscard]] inline model::Tensor tensor_like(const model::Tensor& like, const Table& table) {
  std::vector<float> values(static_cast<size_t>(table.size()));
  std::ranges::transform(elements(table), values.begin(), [](double value) { return static_cast<float>(value); });
  return model::make_tensor(like.shape, values);
}

}  // namespace summand::lab
