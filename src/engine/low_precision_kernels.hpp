#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/instruction_set.hpp"
#include "engine/kernels.hpp"
#include "engine/number_formats.hpp"
#include "model/activation.hpp"

namespace summand::engine {

/// out = factor · (rows · matrix) + bias. Products are exact, sums are kept in single precision: every output is one
/// chain over pairs of the depth in order, starting from the bias, whatever is computed beside it.
struct Bf16ProductTask {
  const Bf16* rows = nullptr;  ///< [row_count, depth], `row_stride` apart
  size_t row_stride = 0;
  size_t row_count = 0;
  size_t depth = 0;                    ///< even
  const Bf16* panels = nullptr;        ///< [panels of 16 columns, depth / 2, 16, 2], zero beyond the last column
  const float* bias = nullptr;         ///< [columns rounded up to 16], or null for zeros
  const float* row_factors = nullptr;  ///< [row_count], or null for ones; only without a bias
  size_t columns = 0;                  ///< how many are written
  Destination out = {};                ///< [row_count, columns]
};

/// out = scale of the row · scale of the column · ((row - zero of the row) · matrix) + bias; the sum is exact.
struct Int8ProductTask {
  const uint8_t* rows = nullptr;  ///< [row_count, depth], `row_stride` apart
  size_t row_stride = 0;
  const RowCode* codes = nullptr;  ///< [row_count]
  size_t row_count = 0;
  size_t depth = 0;                      ///< a multiple of 4, at most kLargestInt8Depth
  const int8_t* panels = nullptr;        ///< [panels of 16 columns, depth / 4, 16, 4], zero beyond the last column
  const float* column_scales = nullptr;  ///< [columns rounded up to 16]
  const int32_t* column_sums = nullptr;  ///< [columns rounded up to 16], sums of the matrix over the depth
  const float* bias = nullptr;           ///< [columns rounded up to 16]
  size_t columns = 0;                    ///< how many are written
  Destination out = {};                  ///< [row_count, columns]
};

/// Sums of 255 · 127 stay below 2^31 up to here.
inline constexpr size_t kLargestInt8Depth = 65536;

/// out = bf16(values), and zero from `columns` to the next even number.
struct RoundTask {
  const float* values = nullptr;  ///< [row_count, columns], `stride` apart
  size_t stride = 0;
  size_t row_count = 0;
  size_t columns = 0;
  Bf16* out = nullptr;  ///< [row_count, columns rounded up to 2], `out_stride` apart
  size_t out_stride = 0;
};

/// out = bytes of each row, with a scale and a zero point from its own smallest and largest value, zero included:
/// byte = round(x / scale) + zero, ties to even. Zero bytes from `columns` to the next multiple of four.
struct QuantiseTask {
  const float* values = nullptr;  ///< [row_count, columns], `stride` apart
  size_t stride = 0;
  size_t row_count = 0;
  size_t columns = 0;
  uint8_t* out = nullptr;  ///< [row_count, columns rounded up to 4], `out_stride` apart
  size_t out_stride = 0;
  RowCode* codes = nullptr;  ///< [row_count]
};

/// out = bf16(activation(values)), elementwise; `values` may be overwritten.
struct ActivateRoundTask {
  float* values = nullptr;  ///< [row_count, columns], `stride` apart
  size_t stride = 0;
  size_t row_count = 0;
  size_t columns = 0;
  Bf16* out = nullptr;  ///< [row_count, columns], `out_stride` apart
  size_t out_stride = 0;
};

/// The softmax of scale · scores + biases in two parts: weights = bf16(exp(its exponent - the largest)), and zero from
/// `length` to the next even number; factors = 1 / the sum of a row's weights before rounding.
struct WeighTask {
  float* scores = nullptr;  ///< [row_count, length], `stride` apart; overwritten
  size_t stride = 0;
  size_t row_count = 0;
  size_t length = 0;
  float scale = 1;
  const float* const* biases = nullptr;  ///< as in SoftmaxTask
  Bf16* weights = nullptr;               ///< [row_count, length rounded up to 2], `weight_stride` apart
  size_t weight_stride = 0;
  float* factors = nullptr;  ///< [row_count]
};

/// One head's keys or values as the panels of a product.
struct PackTask {
  const Bf16* rows = nullptr;  ///< [length, head size], `stride` apart; for keys and an odd head size one number more
                               ///< is read, and meets a zero
  size_t stride = 0;
  size_t length = 0;
  size_t head_size = 0;
  Bf16* panels = nullptr;  ///< keys: [panels of 16 tokens, steps of the head, 16, 2]; values: [panels of 16 of the
                           ///< head's columns, steps of the text, 16, 2]; zero beyond
};

/// The arithmetic in bf16 at one instruction set.
struct Bf16Kernels {
  void (*product)(const Bf16ProductTask&) = nullptr;
  void (*round)(const RoundTask&) = nullptr;
  void (*activate)(model::Activation, const ActivateRoundTask&) = nullptr;
  void (*weigh)(const WeighTask&) = nullptr;
  void (*pack_keys)(const PackTask&) = nullptr;
  void (*pack_values)(const PackTask&) = nullptr;
};

/// The arithmetic in int8 at one instruction set.
struct Int8Kernels {
  void (*product)(const Int8ProductTask&) = nullptr;
  void (*quantise)(const QuantiseTask&) = nullptr;
  void (*activate)(model::Activation, const ActivateTask&) = nullptr;  ///< of what is quantised next
};

/// @return null where the instruction set has no native products of that kind; the generic ones are the oracles
[[nodiscard]] const Bf16Kernels* bf16_kernels(InstructionSet instruction_set);
[[nodiscard]] const Int8Kernels* int8_kernels(InstructionSet instruction_set);

namespace generic {
extern const Bf16Kernels kBf16Kernels;
extern const Int8Kernels kInt8Kernels;
}  // namespace generic
namespace avx512_vnni {
extern const Int8Kernels kInt8Kernels;
}
namespace avx512_bf16 {
extern const Bf16Kernels kBf16Kernels;
}

}  // namespace summand::engine
