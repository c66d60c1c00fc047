#include "engine/layers/int8_linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "engine/kernels/rounding.hpp"
#include "engine/layers/float_elements.hpp"
#include "engine/layers/pack_rows.hpp"
#include "model/quantization.hpp"

namespace summand::engine {

Int8Linear::Int8Linear(const Int8Kernels& kernels, const model::Weights& weights, std::span<const std::string> names,
                       PackedStore& store) {
  for (const auto& name : names) out_ += weights.at(name + ".weight").shape.at(0);
  in_ = weights.at(names.front() + ".weight").shape.at(1);
  depth_ = kernels.layout.depth(in_);
  if (depth_ > kLargestInt8Depth) {
    throw ConfigError("precision", fmt::format("int8: expected layers of at most {} inputs, '{}' has {}",
                                               kLargestInt8Depth, names.front(), in_));
  }
  weight_bytes_ = kernels.weight_bytes;
  const std::string& first = names.front();
  panels_ = store.take<int8_t>(first, "panels", whole_panels(out_) * depth_ * weight_bytes_);
  scales_ = store.take<float>(first, "scales", whole_panels(out_));
  sums_ = store.take<int32_t>(first, "sums", whole_panels(out_));
  bias_ = store.take<float>(first, "bias", whole_panels(out_));
  std::vector<float> factors;
  for (const auto& name : names) {
    if (factors.empty()) factors = weights.at(name + ".weight").column_factors;
  }
  if (!factors.empty()) factors_ = store.take<float>(first, "factors", in_);
  if (store.is_filled()) return;
  if (!factors.empty()) std::ranges::copy(factors, factors_.data());
  size_t column = 0;
  for (const auto& name : names) {
    const FloatElements bias(weights.at(name + ".bias"));
    const model::Tensor& tensor = weights.at(name + ".weight");
    model::bring_in(tensor);
    const auto weight = model::quantize_weight(tensor, factors);
    model::give_back(tensor);
    std::ranges::copy(bias.values(), bias_.data() + column);
    std::ranges::copy(weight.scales, scales_.data() + column);
    if (weight_bytes_ == sizeof(int16_t)) {
      const std::vector<int16_t> wide(weight.values.begin(), weight.values.end());
      pack_rows<int16_t>({wide.data(), weight.out, in_}, column, kernels.layout,
                         reinterpret_cast<int16_t*>(panels_.data()));
    } else {
      pack_rows<int8_t>({weight.values.data(), weight.out, in_}, column, kernels.layout, panels_.data());
    }
    for (size_t row = 0; row < weight.out; ++row, ++column) {
      const int8_t* const values = weight.values.data() + row * in_;
      sums_.data()[column] = std::accumulate(values, values + in_, int32_t{0});
    }
  }
}

void Int8Linear::multiply(const Int8Kernels& kernels, const ProductRows& rows, Destination out,
                          ColumnBlock block) const {
  SUMMAND_ASSERT(rows.bytes != nullptr && block.begin % kPanelWidth == 0);
  kernels.product({.rows = rows.bytes,
                   .row_stride = rows.stride,
                   .codes = rows.codes,
                   .row_count = rows.count,
                   .depth = depth_,
                   .panels = panels_.data() + block.begin * depth_ * weight_bytes_,
                   .column_scales = scales_.data() + block.begin,
                   .column_sums = sums_.data() + block.begin,
                   .bias = bias_.data() + block.begin,
                   .columns = block.count,
                   .out = out});
}

}  // namespace summand::engine
