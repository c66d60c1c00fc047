#include "engine/layers/packed_linear.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/thread_pool.hpp"
#include "engine/kernels/rounding.hpp"
#include "engine/layers/float_elements.hpp"
#include "engine/layers/pack_rows.hpp"
#include "model/tensor.hpp"

namespace summand::engine {

PackedLinear::PackedLinear(const model::Weights& weights, std::span<const std::string> names, PackedStore& store) {
  for (const auto& name : names) out_ += weights.at(name + ".weight").shape.at(0);
  in_ = weights.at(names.front() + ".weight").shape.at(1);
  panels_ = store.take<float>(names.front(), "panels", whole_panels(out_) * in_);
  bias_ = store.take<float>(names.front(), "bias", whole_panels(out_));
  if (store.is_filled()) return;
  size_t column = 0;
  for (const auto& name : names) {
    const model::Tensor& weight = weights.at(name + ".weight");
    pack(weight, weights.at(name + ".bias"), column);
    column += weight.shape.at(0);
  }
}

PackedLinear::PackedLinear(const model::Tensor& weight, const model::Tensor& bias) {
  reserve(weight.shape.at(0), weight.shape.at(1));
  pack(weight, bias, 0);
}

PackedLinear::PackedLinear(const model::Tensor& weight, const model::Tensor& bias, int threads) {
  reserve(weight.shape.at(0), weight.shape.at(1));
  std::ranges::copy(model::to_floats(bias), bias_.data());
  const auto pack_block = [&](size_t index, int) {
    const ColumnBlock block = this->block(index);
    const auto factors = model::to_floats(model::copied_rows(weight, {block.begin, block.begin + block.count}));
    pack_rows<float, 1>({factors.data(), block.count, in_}, block.begin, in_, panels_.data());
  };
  ThreadPool::shared().run(blocks(), threads, pack_block);
}

void PackedLinear::reserve(size_t out, size_t in) {
  out_ = out;
  in_ = in;
  panels_ = AlignedFloats(whole_panels(out_) * in_);
  bias_ = AlignedFloats(whole_panels(out_));
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

void PackedLinear::multiply(const SinglePrecisionKernels& kernels, const ProductRows& rows, Destination out,
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

void PackedLinear::multiply(const SinglePrecisionKernels& kernels, MatrixView<const float> rows, MatrixView<float> out,
                            ColumnBlock block) const {
  SUMMAND_ASSERT(rows.columns() == in_ && out.columns() == out_ && rows.rows() == out.rows());
  multiply(kernels, {.count = rows.rows(), .stride = rows.stride(), .floats = rows.data()},
           {.floats = out.data() + block.begin, .stride = out.stride()}, block);
}

void PackedLinear::multiply(const SinglePrecisionKernels& kernels, MatrixView<const float> rows,
                            MatrixView<float> out) const {
  multiply(kernels, rows, out, {0, out_});
}

}  // namespace summand::engine
