#include "engine/layers/packed_linear.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/thread_pool.hpp"
#include "engine/kernels/rounding.hpp"
#include "engine/layers/float_elements.hpp"
#include "engine/layers/pack_rows.hpp"
#include "model/tensor.hpp"

namespace summand::engine {

PackedLinear::PackedLinear(const model::Weights& weights, std::span<const std::string> names, Arena* arena) {
  size_t out = 0;
  for (const auto& name : names) out += weights.at(name + ".weight").shape.at(0);
  reserve(out, weights.at(names.front() + ".weight").shape.at(1), arena);
  size_t column = 0;
  for (const auto& name : names) {
    const model::Tensor& weight = weights.at(name + ".weight");
    pack(weight, weights.at(name + ".bias"), column);
    column += weight.shape.at(0);
  }
}

PackedLinear::PackedLinear(const model::Tensor& weight, const model::Tensor& bias) {
  reserve(weight.shape.at(0), weight.shape.at(1), nullptr);
  pack(weight, bias, 0);
}

PackedLinear::PackedLinear(const model::Tensor& weight, const model::Tensor& bias, int threads) {
  reserve(weight.shape.at(0), weight.shape.at(1), nullptr);
  std::ranges::copy(model::to_floats(bias), bias_.data());
  const auto pack_block = [&](size_t index, int) {
    const ColumnBlock block = this->block(index);
    const auto factors = model::to_floats(model::copied_rows(weight, {block.begin, block.begin + block.count}));
    pack_rows<float, 1>({factors.data(), block.count, in_}, block.begin, in_, panels_.data());
  };
  ThreadPool::shared().run(blocks(), threads, pack_block);
}

void PackedLinear::reserve(size_t out, size_t in, Arena* arena) {
  out_ = out;
  in_ = in;
  const size_t columns = whole_panels(out_);
  panels_ = arena == nullptr ? AlignedFloats(columns * in_) : AlignedFloats(*arena, columns * in_);
  bias_ = arena == nullptr ? AlignedFloats(columns) : AlignedFloats(*arena, columns);
}

void PackedLinear::pack(const model::Tensor& weight, const model::Tensor& bias, size_t first_column) {
  const FloatElements offsets(bias);
  std::ranges::copy(offsets.values(), bias_.data() + first_column);
  const size_t count = offsets.values().size();
  const FloatElements elements(weight);
  const auto factors = elements.values();
  pack_rows<float, 1>({factors.data(), count, in_}, first_column, in_, panels_.data());
  model::give_back(weight);
}

void PackedLinear::multiply(const KernelTable& kernels, const ProductRows& rows, Destination out,
                            ColumnBlock block) const {
  SUMMAND_ASSERT(rows.floats != nullptr && out.floats != nullptr && block.begin % kPanelWidth == 0);
  kernels.product({.rows = rows.floats,
                   .row_stride = rows.stride,
                   .row_count = rows.count,
                   .depth = in_,
                   .panels = panels_.data() + block.begin * in_,
                   .bias = bias_.data() + block.begin,
                   .columns = block.count,
                   .out = out.floats,
                   .out_stride = out.stride});
}

void PackedLinear::multiply(const KernelTable& kernels, MatrixView<const float> rows, MatrixView<float> out,
                            ColumnBlock block) const {
  SUMMAND_ASSERT(rows.columns() == in_ && out.columns() == out_ && rows.rows() == out.rows());
  multiply(kernels, {.count = rows.rows(), .stride = rows.stride(), .floats = rows.data()},
           {.floats = out.data() + block.begin, .stride = out.stride()}, block);
}

void PackedLinear::multiply(const KernelTable& kernels, MatrixView<const float> rows, MatrixView<float> out) const {
  multiply(kernels, rows, out, {0, out_});
}

}  // namespace summand::engine
