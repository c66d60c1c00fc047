#include "engine/layers/half_linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "engine/kernels/rounding.hpp"
#include "engine/layers/float_elements.hpp"
#include "engine/layers/pack_rows.hpp"

namespace summand::engine {

namespace {

/// Rounded before they are packed, so that they stay in the nearest caches.
constexpr size_t kRowsAtATime = kPanelWidth;

void check_range(const HalfKernels& kernels, const std::string& name, std::span<const float> weight) {
  const auto fits = [&](float x) { return std::abs(x) <= kernels.largest; };
  const auto bad = std::ranges::find_if_not(weight, fits);
  if (bad == weight.end() || kernels.largest == kLargestBf16) return;
  throw UsageError("precision",
                   fmt::format("fp16: expected weights of at most {} in magnitude, got {} in {}.weight; bf16 "
                               "and fp32 have the range",
                               kernels.largest, *bad, name));
}

}  // namespace

HalfLinear::HalfLinear(const HalfKernels& kernels, const model::Weights& weights, std::span<const std::string> names,
                       PackedStore& store) {
  for (const auto& name : names) out_ += weights.at(name + ".weight").shape.at(0);
  in_ = weights.at(names.front() + ".weight").shape.at(1);
  depth_ = kernels.layout.depth(in_);
  panels_ = store.take<Half>(names.front(), "panels", whole_panels(out_) * depth_);
  bias_ = store.take<float>(names.front(), "bias", whole_panels(out_));
  if (store.is_filled()) return;
  AlignedBuffer<Half> rounded(kRowsAtATime * in_);
  size_t column = 0;
  for (const auto& name : names) {
    const model::Tensor& tensor = weights.at(name + ".weight");
    const FloatElements bias(weights.at(name + ".bias"));
    const FloatElements weight(tensor);
    const size_t rows = bias.values().size();
    check_range(kernels, name, weight.values());
    std::ranges::copy(bias.values(), bias_.data() + column);
    for (size_t first = 0; first < rows; first += kRowsAtATime) {
      const size_t count = std::min(kRowsAtATime, rows - first);
      kernels.round({.values = weight.values().data() + first * in_,
                     .stride = in_,
                     .row_count = count,
                     .columns = in_,
                     .out = rounded.data(),
                     .out_stride = in_});
      pack_rows<Half>({rounded.data(), count, in_}, column + first, kernels.layout, panels_.data());
    }
    model::give_back(tensor);
    column += rows;
  }
}

void HalfLinear::multiply(const HalfKernels& kernels, const ProductRows& rows, Destination out,
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
