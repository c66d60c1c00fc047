#include "engine/packed_linear.hpp"

#include <algorithm>
#include <vector>

#include "base/assert.hpp"
#include "engine/rounding.hpp"
#include "model/tensor.hpp"

namespace summand::engine {

namespace {

/// The elements where they lie, or converted into `room`.
std::span<const float> floats_of(const model::Tensor& tensor, std::vector<float>& room) {
  if (const auto in_place = model::floats_in_place(tensor)) return *in_place;
  room = model::to_floats(tensor);
  return room;
}

}  // namespace

PackedLinear::PackedLinear(const model::Weights& weights, std::span<const std::string> names) {
  for (const auto& name : names) {
    const model::Tensor& weight = weights.at(name + ".weight");
    out_ += weight.shape.at(0);
    in_ = weight.shape.at(1);
  }
  panels_.grow(whole_panels(out_) * in_);
  bias_.grow(whole_panels(out_));
  size_t column = 0;
  std::vector<float> room;
  for (const auto& name : names) {
    const auto bias = floats_of(weights.at(name + ".bias"), room);
    std::copy(bias.begin(), bias.end(), bias_.data() + column);
    const size_t count = bias.size();
    const auto weight = floats_of(weights.at(name + ".weight"), room);
    for (size_t row = 0; row < count; ++row, ++column) {
      float* const to = panels_.data() + column / kPanelWidth * kPanelWidth * in_ + column % kPanelWidth;
      for (size_t k = 0; k < in_; ++k) to[k * kPanelWidth] = weight[row * in_ + k];
    }
  }
}

ColumnBlock PackedLinear::block(size_t index) const {
  const size_t begin = index * kBlockColumns;
  return {begin, std::min(kBlockColumns, out_ - begin)};
}

void PackedLinear::multiply(const KernelTable& kernels, MatrixView<const float> rows, MatrixView<float> out,
                            ColumnBlock block) const {
  SUMMAND_ASSERT(rows.columns() == in_ && out.columns() == out_ && rows.rows() == out.rows());
  SUMMAND_ASSERT(block.begin % kPanelWidth == 0);
  kernels.product({.rows = rows.data(),
                   .row_stride = rows.stride(),
                   .row_count = rows.rows(),
                   .depth = in_,
                   .panels = panels_.data() + block.begin * in_,
                   .bias = bias_.data() + block.begin,
                   .columns = block.count,
                   .out = out.data() + block.begin,
                   .out_stride = out.stride()});
}

void PackedLinear::multiply(const KernelTable& kernels, MatrixView<const float> rows, MatrixView<float> out) const {
  multiply(kernels, rows, out, {0, out_});
}

}  // namespace summand::engine
