#pragma once

#include <cstddef>
#include <cstdint>

#include "model/activation.hpp"

namespace summand::engine {

/// Columns per panel of a packed matrix, in every set of kernels.
inline constexpr size_t kPanelWidth = 16;

/// out = rows · matrix + bias. Every output is one chain of sums over `depth` in order, starting from the bias: its
/// bits depend only on its own row and column, not on the number or position of the rows computed together.
struct ProductTask {
  const float* rows = nullptr;  ///< [row_count, depth], `row_stride` apart
  size_t row_stride = 0;
  size_t row_count = 0;
  size_t depth = 0;
  const float* panels = nullptr;  ///< [panels of 16 columns, depth, 16], zero beyond the last column
  const float* bias = nullptr;    ///< [columns rounded up to 16], or null for zeros
  size_t columns = 0;             ///< how many are written
  float* out = nullptr;           ///< [row_count, columns], `out_stride` apart
  size_t out_stride = 0;
};

/// Layer normalisation of rows, mean and variance in two passes: out = (x - mean) / √(variance + ε) · weight + bias.
struct Normalisation {
  const float* weight = nullptr;  ///< [width]
  const float* bias = nullptr;    ///< [width]
  size_t width = 0;
  double epsilon = 0;
};

/// out = normalised(values + residual). `out` may be `values` or `residual`.
struct NormaliseTask {
  const float* values = nullptr;
  size_t value_stride = 0;
  const float* residual = nullptr;  ///< or null for none
  size_t residual_stride = 0;
  size_t row_count = 0;
  float* out = nullptr;
  size_t out_stride = 0;
};

/// out = normalised((token + segment) + position), row by row: Hugging Face's order of summation.
struct EmbedTask {
  const float* token_table = nullptr;     ///< [vocabulary, width]
  const float* segment_table = nullptr;   ///< [segments, width]
  const float* position_table = nullptr;  ///< [positions, width], or null for no positions
  const int32_t* ids = nullptr;           ///< [row_count]
  const int32_t* segments = nullptr;      ///< [row_count]
  const int32_t* positions = nullptr;     ///< [row_count]
  size_t row_count = 0;
  float* out = nullptr;  ///< [row_count, width], `out_stride` apart
  size_t out_stride = 0;
};

/// values = softmax(scale · values + biases), row by row, in an order of summation fixed by `length`.
struct SoftmaxTask {
  float* values = nullptr;  ///< [row_count, length], `stride` apart
  size_t stride = 0;
  size_t row_count = 0;
  size_t length = 0;
  float scale = 1;
  const float* const* biases = nullptr;  ///< [row_count] rows of [length] each, or null for zeros
};

/// values = activation(values), elementwise.
struct ActivateTask {
  float* values = nullptr;  ///< [row_count, columns], `stride` apart
  size_t stride = 0;
  size_t row_count = 0;
  size_t columns = 0;
};

/// One head's keys as the panels of a product.
struct PackKeysTask {
  const float* rows = nullptr;  ///< [length, head_size], `stride` apart
  size_t stride = 0;
  size_t length = 0;
  size_t head_size = 0;
  float* panels = nullptr;  ///< [panels of 16 tokens, head_size, 16], zero beyond the last token
};

/// Arithmetic in single precision. The generic table is plain C++ and the oracle of the others.
/// The tasks hold bare pointers so that the files with flags of their own instantiate nothing that other files share.
struct SinglePrecisionKernels {
  void (*product)(const ProductTask&) = nullptr;
  void (*normalise)(const Normalisation&, const NormaliseTask&) = nullptr;
  void (*embed)(const Normalisation&, const EmbedTask&) = nullptr;
  void (*softmax)(const SoftmaxTask&) = nullptr;
  void (*activate)(model::Activation, const ActivateTask&) = nullptr;
  void (*pack_keys)(const PackKeysTask&) = nullptr;
};

namespace generic {
extern const SinglePrecisionKernels kKernels;
/// values = scale · values + biases. @param values  [length] @param biases  [length], or null for zeros
void add_biases(float* values, const float* biases, size_t length, float scale);
}  // namespace generic

}  // namespace summand::engine
