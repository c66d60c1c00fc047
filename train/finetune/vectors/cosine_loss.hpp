#pragma once

#include <ATen/ATen.h>

namespace summand::train {

/// Cosine of each row with the same row of another matrix.
/// @param left, right  [rows, width]
/// @return [rows]
[[nodiscard]] at::Tensor row_cosines(const at::Tensor& left, const at::Tensor& right);

/// Sum over rows of the squared difference between cosine and label; the loss is the mean.
/// @param cosines, labels  [rows]
/// Source: Reimers & Gurevych 2019, section 3; sentence-transformers' CosineSimilarityLoss
[[nodiscard]] at::Tensor cosine_loss_sum(const at::Tensor& cosines, const at::Tensor& labels);

}  // namespace summand::train
