#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters.hpp"
#include "model/tensor.hpp"

namespace summand::model {

/// A dense layer's weights in 8 bits: weight[r][k] is about scales[r] * values[r][k] * factors[k].
struct QuantizedWeight {
  size_t out = 0;
  size_t in = 0;
  std::vector<int8_t> values;  ///< [out, in], -127 … 127
  std::vector<float> scales;   ///< [out], 0 … kLargestScale
  std::vector<float> factors;  ///< [in], by which inputs are multiplied before they are rounded; empty: ones
};

/// Times 127, it is still a float.
inline constexpr float kLargestScale = 0x1.020406p+121F;

/// Whether a parameter is the weight of one of the encoder's dense layers: what an int8 checkpoint holds in 8 bits.
[[nodiscard]] bool is_dense_weight(const Parameter& parameter);

/// The name under which a checkpoint holds the row scales of a weight: "X.weight_scale" of "X.weight".
[[nodiscard]] std::string scale_name(std::string_view weight);

/// The name under which a checkpoint holds the column factors of a calibrated weight: "X.input_factor" of "X.weight".
[[nodiscard]] std::string factor_name(std::string_view weight);

/// The least and the largest factor of a column that a checkpoint may hold. Their products with scales, values and
/// inputs of any size that occurs are floats.
inline constexpr float kLeastFactor = 0x1p-40F;
inline constexpr float kLargestFactor = 0x1p40F;

/// A row's largest magnitude divided by 127, in float: 0 where no float is a 127th of it. @param row  finite
[[nodiscard]] float scale_of_row(std::span<const float> row);

/// The weights of a dense layer in 8 bits. Symmetric, one scale per row, which is one output of the layer: the row's
/// largest magnitude divided by 127, in float; a value is the weight divided by its row's scale, rounded to the nearest
/// integer, ties to even. A row of zeros has scale 0. Every number is off by at most half its row's scale, and its
/// rounding to float.
///
/// A tensor that is stored as I8 with row scales gives what is stored: the same bits as the tensor that it was made of.
/// @param weight  [out, in], finite
/// @param factors  [in] or empty: of the layer that it shares its input with. A weight in floating point is divided by
///   them first; one in I8 has the same, or none
[[nodiscard]] QuantizedWeight quantize_weight(const Tensor& weight, std::span<const float> factors = {});

}  // namespace summand::model
