#pragma once

#include <cstddef>
#include <vector>

#include "base/assert.hpp"
#include "engine/kernels/rounding.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/layers/attention.hpp"
#include "model/attention_kind.hpp"

namespace summand::engine {

/// AttentionOps on matrices of one head, whose products run in the kernels: sums go in order all the same, so that a
/// row's bits are its own.
class KernelHeadOps : public model::HeadOps<float> {
 public:
  KernelHeadOps(const SinglePrecisionKernels& kernels, const Of& of, size_t head)
      : HeadOps(of, head), kernels_(kernels) {}

  [[nodiscard]] Value product(const Value& left, const Value& right) const {
    SUMMAND_ASSERT(left.columns() == right.rows());
    std::vector<float> panels(whole_panels(right.columns()) * right.rows());
    pack_values(right.view(), panels.data());
    return product_with(left, panels, right.columns());
  }
  /// left · rightᵀ
  [[nodiscard]] Value product_transposed(const Value& left, const Value& right) const {
    SUMMAND_ASSERT(left.columns() == right.columns());
    std::vector<float> panels(whole_panels(right.rows()) * right.columns());
    pack_keys(kernels_, right.view(), panels.data());
    return product_with(left, panels, right.rows());
  }

 private:
  [[nodiscard]] Value product_with(const Value& left, const std::vector<float>& panels, size_t columns) const {
    Value result(left.rows(), columns);
    kernels_.product({.rows = left.elements().data(),
                      .row_stride = left.columns(),
                      .row_count = left.rows(),
                      .depth = left.columns(),
                      .panels = panels.data(),
                      .columns = columns,
                      .out = result.elements().data(),
                      .out_stride = columns});
    return result;
  }

  const SinglePrecisionKernels& kernels_;
};

}  // namespace summand::engine
