#pragma once

#include <ATen/ATen.h>

#include "train/network/dropout_mask.hpp"

namespace summand::train {

/// Parameters of a linear layer and of the normalisation after it.
struct DenseNorm {
  at::Tensor weight, bias;            ///< [columns, inner], [columns]
  at::Tensor norm_weight, norm_bias;  ///< [columns]
  double epsilon = 0;
};

/// Dropout of some rows of a tensor.
struct RowDropout {
  DropoutMask mask = {};
  at::Tensor tokens = {};  ///< which rows they are, int64; undefined: all
};

/// The same rows twice, as their readers want them: their gradients meet in one pass.
struct NormalisedRows {
  at::Tensor rows;     ///< [rows, columns], fp32, for sums
  at::Tensor factors;  ///< in product_type(), for products
};

/// LayerNorm(dropout(input · weightᵀ + bias) + residual), where has_own_passes(weight). All but the product is one
/// pass, and in the backward pass too. The mask is drawn again there.
/// @param input  [rows, inner]
/// @param residual  [rows, columns], fp32
/// Source: Ba et al. 2016, "Layer normalization"
[[nodiscard]] NormalisedRows dense_norm(const at::Tensor& input, const DenseNorm& parameters,
                                        const at::Tensor& residual, const RowDropout& dropout);

}  // namespace summand::train
