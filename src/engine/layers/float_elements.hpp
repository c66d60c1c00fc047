#pragma once

#include <span>
#include <vector>

#include "model/tensor.hpp"

namespace summand::engine {

/// A tensor's elements as floats: a view if they are floats already, else a converted copy.
class FloatElements {
 public:
  explicit FloatElements(const model::Tensor& tensor) {
    model::bring_in(tensor);
    if (const auto in_place = model::floats_in_place(tensor)) {
      values_ = *in_place;
    } else {
      converted_ = model::to_floats(tensor);
      values_ = converted_;
    }
  }
  FloatElements(const FloatElements&) = delete;
  FloatElements& operator=(const FloatElements&) = delete;

  [[nodiscard]] std::span<const float> values() const { return values_; }

 private:
  std::vector<float> converted_;
  std::span<const float> values_;
};

}  // namespace summand::engine
