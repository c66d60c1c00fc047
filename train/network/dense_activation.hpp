#pragma once

#include <ATen/ATen.h>

#include "model/activation.hpp"

namespace summand::train {

/// Whether dense_activation() has this activation: GELU, exact or by tanh.
[[nodiscard]] bool has_dense_activation(model::Activation activation);

/// GELU(input · weightᵀ + bias), in product_type(), where has_own_passes(weight). Bias and activation are one pass, and
/// of both only their sum is kept for the backward pass.
/// @param input  [rows, inner]
/// @param weight  [columns, inner]
/// @param bias  [columns]
/// @return [rows, columns]
/// Source: Hendrycks & Gimpel 2016, "Gaussian error linear units"
[[nodiscard]] at::Tensor dense_activation(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                                          model::Activation activation);

}  // namespace summand::train
