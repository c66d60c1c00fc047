#include "train/network/indexed_columns.hpp"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "train/network/attention_loops.hpp"

namespace summand::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct HeldIndices : torch::CustomClassHolder {
  explicit HeldIndices(Matrix<int32_t> all) : indices(std::move(all)) {
    for (size_t row = 0; row < indices.rows(); ++row) {
      const auto of_row = std::as_const(indices).row(row);
      in_order.push_back(std::ranges::adjacent_find(of_row, [](int32_t a, int32_t b) { return b != a + 1; }) ==
                         of_row.end());
    }
  }

  Matrix<int32_t> indices;
  std::vector<bool> in_order;  ///< [rows], whether a row's indices count up by one
};

enum class Direction { taken, summed };

/// Rows of `from` into those of `to`, whose columns are fewer or more; sums are added to what stands there.
template <class Scalar>
void move_rows(const HeldIndices& held, Direction direction, const at::Tensor& from, const at::Tensor& to) {
  const auto rows = static_cast<int64_t>(held.indices.rows());
  const auto count = static_cast<int64_t>(held.indices.columns());
  const int64_t from_width = from.size(-1), to_width = to.size(-1);
  const auto* source = from.const_data_ptr<Scalar>();
  auto* target = to.mutable_data_ptr<Scalar>();
  at::parallel_for(0, from.numel() / from_width, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto row = static_cast<size_t>(i % rows);
      const int32_t* columns = std::as_const(held.indices).row(row).data();
      const int64_t first = held.in_order[row] ? columns[0] : 0;
      if (held.in_order[row]) columns = nullptr;
      if (direction == Direction::taken) {
        take_columns(target + i * to_width, source + i * from_width + first, count, columns);
      } else {
        collect_columns(target + i * to_width + first, source + i * from_width, count, columns);
      }
    }
  });
}

at::Tensor moved(const HeldIndices& held, Direction direction, const at::Tensor& value, int64_t width) {
  const at::Tensor from = value.contiguous();
  auto sizes = value.sizes().vec();
  sizes.back() = width;
  at::Tensor to = direction == Direction::taken ? at::empty(sizes, value.options()) : at::zeros(sizes, value.options());
  if (value.scalar_type() == at::kDouble) {
    move_rows<double>(held, direction, from, to);
  } else {
    move_rows<float>(held, direction, from, to);
  }
  return to;
}

/// Each direction is the other's gradient.
class Moved : public torch::autograd::Function<Moved> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& value,
                            const c10::intrusive_ptr<HeldIndices>& held, bool taken, int64_t width) {
    context->saved_data["held"] = c10::IValue::make_capsule(held);
    context->saved_data["taken"] = taken;
    context->saved_data["width"] = value.size(-1);
    return moved(*held, taken ? Direction::taken : Direction::summed, value, width);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto held = c10::static_intrusive_pointer_cast<HeldIndices>(context->saved_data["held"].toCapsule());
    const Direction back = context->saved_data["taken"].toBool() ? Direction::summed : Direction::taken;
    return {moved(*held, back, gradients[0], context->saved_data["width"].toInt()), {}, {}, {}};
  }
};

at::Tensor in_computed_type(const at::Tensor& value) {
  return value.to(value.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
}

}  // namespace

at::Tensor indexed_columns(const at::Tensor& value, const Matrix<int32_t>& indices) {
  return Moved::apply(in_computed_type(value), c10::make_intrusive<HeldIndices>(indices), true,
                      static_cast<int64_t>(indices.columns()));
}

at::Tensor summed_columns(const at::Tensor& value, const Matrix<int32_t>& indices, int64_t columns) {
  return Moved::apply(in_computed_type(value), c10::make_intrusive<HeldIndices>(indices), false, columns);
}

}  // namespace summand::train
