#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters.hpp"
#include "model/tensor.hpp"

namespace summand::model {

/// A dense layer's weights in 8 bits: weight[r][k] is about scales[r] * values[r][k].
struct QuantizedWeight {
  size_t out = 0;
  size_t in = 0;
  std::vector<int8_t> values;  ///< [out, in], -127 … 127
  std::vector<float> scales;   ///< [out], 0 … kLargestScale
};

/// Times 127, it is still a float.
inline constexpr float kLargestScale = 0x1.020406p+121F;

/// Whether a parameter is the weight of one of the encoder's dense layers: what an int8 checkpoint holds in 8 bits.
[[nodiscard]] bool is_dense_weight(const Parameter& parameter);

/// The name under which a checkpoint holds the row scales of a weight: "X.weight_scale" of "X.weight".
[[nodiscard]] std::string scale_name(std::string_view weight);

/// The weights of a dense layer in 8 bits. Symmetric, one scale per row, which is one output of the layer: the row's
/// largest magnitude divided by 127, in float; a value is the weight divided by its row's scale, rounded to the nearest
/// integer, ties to even. A row of zeros has scale 0. Every number is off by at most half its row's scale, and its
/// rounding to float.
///
/// A tensor that is stored as I8 with row scales gives what is stored: the same bits as the tensor that it was made of.
/// @param weight  [out, in], finite
[[nodiscard]] QuantizedWeight quantize_weight(const Tensor& weight);

}  // namespace summand::model
