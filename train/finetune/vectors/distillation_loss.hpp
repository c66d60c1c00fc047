#pragma once

#include <ATen/ATen.h>

namespace summand::train {

/// Sum over rows of the mean squared difference between a model's vectors and a teacher's; the loss is the mean over
/// rows.
/// @param vectors, teacher  [rows, width]
/// Source: Reimers & Gurevych 2020, section 2; sentence-transformers' MSELoss
[[nodiscard]] at::Tensor distillation_loss_sum(const at::Tensor& vectors, const at::Tensor& teacher);

}  // namespace summand::train
