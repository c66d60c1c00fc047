#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/number_formats.hpp"
#include "engine/kernels/single_precision.hpp"
#include "model/activation.hpp"

namespace summand::engine {

/// Layout of numbers of 16 or 8 bits in panels: [panels of 16 columns, depth / per_step, 16, per_step].
struct PanelLayout {
  size_t per_step = 1;        ///< consecutive numbers of one column
  size_t depth_multiple = 1;  ///< of whole steps; rows and panels are padded with zeros to a multiple of it

  /// The depth of a product of so many numbers. Always inlined, because files with their own compiler flags call it.
  [[nodiscard, gnu::always_inline]] constexpr size_t depth(size_t numbers) const {
    return (numbers + depth_multiple - 1) / depth_multiple * depth_multiple;
  }
};

/// out = factor · (rows · matrix) + bias. Products are exact or nearly so, and sums are kept in single precision, in an
/// order that depends only on the depth, not on other outputs.
struct HalfProductTask {
  const Half* rows = nullptr;  ///< [row_count, depth], `row_stride` apart
  size_t row_stride = 0;
  size_t row_count = 0;
  size_t depth = 0;                    ///< as the layout pads it
  const Half* panels = nullptr;        ///< in the layout of the kernels, zero beyond the last column
  const float* bias = nullptr;         ///< [columns rounded up to 16], or null for zeros
  const float* row_factors = nullptr;  ///< [row_count], or null for ones; only without a bias
  size_t columns = 0;                  ///< how many are written
  Destination out = {};                ///< [row_count, columns]
};

/// out = scale of the row · scale of the column · ((row - zero of the row) · matrix) + bias; the sum is exact.
struct Int8ProductTask {
  const uint8_t* rows = nullptr;  ///< [row_count, depth], `row_stride` apart
  size_t row_stride = 0;
  const RowQuantization* codes = nullptr;  ///< [row_count]
  size_t row_count = 0;
  size_t depth = 0;                ///< as the layout pads it, at most kLargestInt8Depth
  const int8_t* panels = nullptr;  ///< in the layout of the kernels, zero beyond the last column; see weight_bytes
  const float* column_scales = nullptr;  ///< [columns rounded up to 16]
  const int32_t* column_sums = nullptr;  ///< [columns rounded up to 16], sums of the matrix over the depth
  const float* bias = nullptr;           ///< [columns rounded up to 16]
  size_t columns = 0;                    ///< how many are written
  Destination out = {};                  ///< [row_count, columns]
};

/// Sums of 255 · 127 stay below 2^31 up to here.
inline constexpr size_t kLargestInt8Depth = 65536;

/// out = half(values), and zero from `columns` to `padded`.
struct RoundTask {
  const float* values = nullptr;  ///< [row_count, columns], `stride` apart
  size_t stride = 0;
  size_t row_count = 0;
  size_t columns = 0;
  size_t padded = 0;
  Half* out = nullptr;  ///< [row_count, the larger of columns and padded], `out_stride` apart
  size_t out_stride = 0;
};

/// out = bytes of each row, with a scale and a zero point from its own smallest and largest value, zero included:
/// byte = round(x / scale) + zero, ties to even. Zero bytes from `columns` to `padded`. With factors, x is the value
/// times its column's factor, rounded to float.
struct QuantiseTask {
  const float* values = nullptr;  ///< [row_count, columns], `stride` apart
  size_t stride = 0;
  size_t row_count = 0;
  size_t columns = 0;
  size_t padded = 0;
  uint8_t* out = nullptr;  ///< [row_count, the larger of columns and padded], `out_stride` apart
  size_t out_stride = 0;
  RowQuantization* codes = nullptr;  ///< [row_count]
  const float* factors = nullptr;    ///< [columns], or null for ones
};

/// out = half(activation(values)), elementwise; `values` may be overwritten.
struct ActivateRoundTask {
  float* values = nullptr;  ///< [row_count, columns], `stride` apart
  size_t stride = 0;
  size_t row_count = 0;
  size_t columns = 0;
  Half* out = nullptr;  ///< [row_count, columns], `out_stride` apart
  size_t out_stride = 0;
};

/// The softmax of scale · scores + biases in two parts: weights = half(exp(its exponent - the largest)), and zero from
/// `length` to `padded`; factors = 1 / the sum of a row's weights before rounding.
struct HalfSoftmaxTask {
  float* scores = nullptr;  ///< [row_count, length], `stride` apart; overwritten
  size_t stride = 0;
  size_t row_count = 0;
  size_t length = 0;
  float scale = 1;
  const float* const* biases = nullptr;  ///< as in SoftmaxTask
  size_t padded = 0;
  Half* weights = nullptr;  ///< [row_count, the larger of length and padded], `weight_stride` apart
  size_t weight_stride = 0;
  float* factors = nullptr;  ///< [row_count]
};

/// One head's keys or values as the panels of a product.
struct PackTask {
  const Half* rows = nullptr;  ///< [length, head size], `stride` apart
  size_t stride = 0;
  size_t length = 0;
  size_t head_size = 0;
  Half* panels = nullptr;  ///< in the layout of the kernels, zero beyond: of keys the columns are tokens and the depth
                           ///< is the head, of values the columns are the head's and the depth is the text
};

/// Arithmetic in one format of 16 bits, bf16 or fp16: no layer asks which.
struct HalfKernels {
  PanelLayout layout;
  float (*to_float)(Half) = nullptr;
  float largest = 0;  ///< magnitude of a number
  void (*product)(const HalfProductTask&) = nullptr;
  void (*round)(const RoundTask&) = nullptr;
  void (*activate)(model::Activation, const ActivateRoundTask&) = nullptr;
  void (*softmax)(const HalfSoftmaxTask&) = nullptr;
  void (*pack_keys)(const PackTask&) = nullptr;
  void (*pack_values)(const PackTask&) = nullptr;
};

/// Arithmetic in int8.
struct Int8Kernels {
  PanelLayout layout;
  void (*product)(const Int8ProductTask&) = nullptr;
  void (*quantise)(const QuantiseTask&) = nullptr;
  void (*activate)(model::Activation, const ActivateTask&) = nullptr;  ///< the activation before quantisation
  size_t weight_bytes = 1;  ///< of a weight in the panels; 2: stored as int16_t to avoid widening
};

/// The oracles of all others, in plain C++.
namespace generic {
extern const HalfKernels kBf16Kernels;
extern const HalfKernels kFp16Kernels;
extern const Int8Kernels kInt8Kernels;
/// One head's keys and values in any layout.
void pack_keys(const PackTask& task, PanelLayout layout);
void pack_values(const PackTask& task, PanelLayout layout);
}  // namespace generic

}  // namespace summand::engine
