#include "model/quantization.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "base/assert.hpp"

namespace summand::model {

namespace {

constexpr float kLargestValue = 127;
/// Added to and taken from a float below 2^22 in magnitude, it leaves the nearest integer, ties to even: at 1.5 * 2^23
/// floats are one apart. Unlike std::nearbyint it becomes vector code on every x86-64.
constexpr float kRounder = 0x1.8p23F;

/// Of finite numbers: without their signs they have the order of their bits, whose maximum becomes vector code.
float largest_magnitude(std::span<const float> row) {
  int32_t largest = 0;
  for (const float weight : row) largest = std::max(largest, std::bit_cast<int32_t>(weight) & 0x7fffffff);
  return std::bit_cast<float>(largest);
}

/// @param values  [in], all 0 at first
/// @return the row's scale
float quantize_row(std::span<const float> row, std::span<int8_t> values) {
  const float scale = scale_of_row(row);
  if (scale == 0) return 0;  // zeros, or numbers so small that no float is a 127th of them
  for (size_t k = 0; k < row.size(); ++k) {
    const float within = std::min(kLargestValue, std::max(-kLargestValue, row[k] / scale));
    values[k] = static_cast<int8_t>(static_cast<int>((within + kRounder) - kRounder));
  }
  return scale;
}

QuantizedWeight stored(const Tensor& weight) {
  QuantizedWeight result{weight.shape[0], weight.shape[1], std::vector<int8_t>(weight.elements()), weight.row_scales,
                         weight.column_factors};
  SUMMAND_ASSERT(result.scales.size() == result.out);
  if (!result.values.empty()) std::memcpy(result.values.data(), weight.bytes.data(), result.values.size());
  return result;
}

}  // namespace

bool is_dense_weight(const Parameter& parameter) {
  return parameter.part == ParameterGroup::encoder && parameter.shape.size() == 2;
}

std::string scale_name(std::string_view weight) {
  return std::string(weight) + "_scale";
}

std::string factor_name(std::string_view weight) {
  constexpr std::string_view kEnd = "weight";
  SUMMAND_ASSERT(weight.ends_with(kEnd));
  return std::string(weight.substr(0, weight.size() - kEnd.size())) + "input_factor";
}

float scale_of_row(std::span<const float> row) {
  const float largest = largest_magnitude(row);
  SUMMAND_ASSERT(std::isfinite(largest));
  return std::min(largest / kLargestValue, kLargestScale);
}

QuantizedWeight quantize_weight(const Tensor& weight, std::span<const float> factors) {
  SUMMAND_ASSERT(weight.shape.size() == 2);
  if (weight.dtype == DType::i8) return stored(weight);
  QuantizedWeight result{weight.shape[0], weight.shape[1], std::vector<int8_t>(weight.elements()),
                         std::vector<float>(weight.shape[0]), std::vector<float>(factors.begin(), factors.end())};
  std::vector<float> room;
  const auto in_place = factors.empty() ? floats_in_place(weight) : std::nullopt;
  if (!in_place) room = to_floats(weight);
  for (size_t i = 0; i < (factors.empty() ? 0 : room.size()); ++i) room[i] /= factors[i % result.in];
  const std::span<const float> weights = in_place ? *in_place : std::span<const float>(room);
  for (size_t row = 0; row < result.out; ++row) {
    result.scales[row] = quantize_row(weights.subspan(row * result.in, result.in),
                                      std::span(result.values).subspan(row * result.in, result.in));
  }
  return result;
}

}  // namespace summand::model
