#include "engine/bf16_linear.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "engine/float_elements.hpp"
#include "engine/rounding.hpp"

namespace summand::engine {

Bf16Linear::Bf16Linear(const Bf16Kernels& kernels, const model::Weights& weights, std::span<const std::string> names) {
  for (const auto& name : names) out_ += weights.at(name + ".weight").shape.at(0);
  in_ = weights.at(names.front() + ".weight").shape.at(1);
  depth_ = rounded_up(in_, kBf16PerStep);
  panels_.grow(whole_panels(out_) * depth_);
  bias_.grow(whole_panels(out_));
  AlignedBuffer<Bf16> row(depth_);
  size_t column = 0;
  for (const auto& name : names) {
    const FloatElements bias(weights.at(name + ".bias"));
    const FloatElements weight(weights.at(name + ".weight"));
    std::ranges::copy(bias.values(), bias_.data() + column);
    for (size_t i = 0; i < bias.values().size(); ++i, ++column) {
      kernels.round({.values = weight.values().data() + i * in_, .row_count = 1, .columns = in_, .out = row.data()});
      Bf16* const panel = panels_.data() + column / kPanelWidth * kPanelWidth * depth_;
      for (size_t k = 0; k < depth_; ++k) {
        panel[(k / kBf16PerStep * kPanelWidth + column % kPanelWidth) * kBf16PerStep + k % kBf16PerStep] =
            row.data()[k];
      }
    }
  }
}

void Bf16Linear::multiply(const Bf16Kernels& kernels, const ProductRows& rows, Destination out,
                          ColumnBlock block) const {
  SUMMAND_ASSERT(rows.rounded != nullptr && block.begin % kPanelWidth == 0);
  kernels.product({.rows = rows.rounded,
                   .row_stride = rows.stride,
                   .row_count = rows.count,
                   .depth = depth_,
                   .panels = panels_.data() + block.begin * depth_,
                   .bias = bias_.data() + block.begin,
                   .columns = block.count,
                   .out = out});
}

}  // namespace summand::engine
