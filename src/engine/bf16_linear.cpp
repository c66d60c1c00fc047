#include "engine/bf16_linear.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "engine/float_elements.hpp"
#include "engine/pack_rows.hpp"
#include "engine/rounding.hpp"

namespace summand::engine {

namespace {

/// Rounded before they are packed, so that they stay in the nearest caches.
constexpr size_t kRowsAtATime = kPanelWidth;

}  // namespace

Bf16Linear::Bf16Linear(const Bf16Kernels& kernels, const model::Weights& weights, std::span<const std::string> names,
                       Arena& arena) {
  for (const auto& name : names) out_ += weights.at(name + ".weight").shape.at(0);
  in_ = weights.at(names.front() + ".weight").shape.at(1);
  depth_ = rounded_up(in_, kBf16PerStep);
  panels_ = {arena, whole_panels(out_) * depth_};
  bias_ = {arena, whole_panels(out_)};
  AlignedBuffer<Bf16> rounded(kRowsAtATime * depth_);
  size_t column = 0;
  for (const auto& name : names) {
    const model::Tensor& tensor = weights.at(name + ".weight");
    const FloatElements bias(weights.at(name + ".bias"));
    const FloatElements weight(tensor);
    const size_t rows = bias.values().size();
    std::ranges::copy(bias.values(), bias_.data() + column);
    for (size_t first = 0; first < rows; first += kRowsAtATime) {
      const size_t count = std::min(kRowsAtATime, rows - first);
      kernels.round({.values = weight.values().data() + first * in_,
                     .stride = in_,
                     .row_count = count,
                     .columns = in_,
                     .out = rounded.data(),
                     .out_stride = depth_});
      pack_rows<Bf16, kBf16PerStep>({rounded.data(), count, depth_}, column + first, depth_, panels_.data());
    }
    model::give_back(tensor);
    column += rows;
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
