#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/tensor.hpp"

namespace summand::model {

/// A dense layer's weights in 8 bits: weight[r][k] is about scales[r] * values[r][k].
struct QuantizedWeight {
  size_t out = 0;
  size_t in = 0;
  std::vector<int8_t> values;  ///< [out, in], -127 … 127
  std::vector<float> scales;   ///< [out], finite, at least 0; 0 only for a row whose values are all 0
};

/// The weights of a dense layer in 8 bits. Symmetric, one scale per row, which is one output of the layer: the row's
/// largest magnitude divided by 127, in float; a value is the weight divided by its row's scale, rounded to the nearest
/// integer, ties to even. A row of zeros has scale 0. Every number is off by at most half its row's scale, and its
/// rounding to float.
///
/// A tensor that is stored as I8 with row scales gives what is stored: the same bits as the tensor that it was made of.
/// @param weight  [out, in], finite
[[nodiscard]] QuantizedWeight quantize_weight(const Tensor& weight);

}  // namespace summand::model
