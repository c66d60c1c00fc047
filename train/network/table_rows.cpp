#include "train/network/table_rows.hpp"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

namespace summand::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kColumnsAtOnce = 64;

/// Threads share the columns, so that each sum has its order whatever their number.
void add_rows(const at::Tensor& rows, const at::Tensor& indices, const at::Tensor& to) {
  const int64_t width = to.size(1), count = rows.size(0);
  const float* const from = rows.const_data_ptr<float>();
  const auto* const index = indices.const_data_ptr<int64_t>();
  auto* const sums = to.mutable_data_ptr<float>();
  at::parallel_for(0, width, kColumnsAtOnce, [&](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < count; ++row) {
      float* const sum = sums + index[row] * width;
      const float* const term = from + row * width;
      for (int64_t column = begin; column < end; ++column) sum[column] += term[column];
    }
  });
}

class TableRows : public torch::autograd::Function<TableRows> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& table, const at::Tensor& indices) {
    context->save_for_backward({table, indices});
    return at::index_select(table, 0, indices);
  }

  static variable_list backward(AutogradContext* context, variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor rows = gradients[0].contiguous();
    at::Tensor existing = saved[0].grad();
    if (existing.defined()) {
      add_rows(rows, saved[1], existing);
      return {at::Tensor(), at::Tensor()};
    }
    at::Tensor result = at::zeros_like(saved[0]);
    add_rows(rows, saved[1], result);
    return {result, at::Tensor()};
  }
};

}  // namespace

at::Tensor table_rows(const at::Tensor& table, const at::Tensor& indices) {
  return TableRows::apply(table, indices);
}

}  // namespace summand::train
