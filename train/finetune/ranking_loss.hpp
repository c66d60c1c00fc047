#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <span>

namespace summand::train {

/// What divides cosines before the softmax: sentence-transformers' scale of 20.
inline constexpr double kRankingScale = 20;

/// Positives of other rows that are right for a row too, and so are no negatives: a row with the same anchor, the same
/// positive, or this row's anchor as its positive.
/// @param anchors, positives  [rows], a number for each text; equal texts have equal numbers
/// @return [rows, rows], bool
[[nodiscard]] at::Tensor false_negatives(std::span<const size_t> anchors, std::span<const size_t> positives);

/// Logits of every row's anchor with all positives: scale · cosine; −∞ for false negatives.
/// @param anchors, positives  [rows, width]
/// @return [rows, rows]; the right one is on the diagonal
[[nodiscard]] at::Tensor ranking_logits(const at::Tensor& anchors, const at::Tensor& positives,
                                        const at::Tensor& false_negatives, double scale = kRankingScale);

/// Multiple negatives ranking: the mean cross-entropy of each anchor's own positive among all positives of the batch.
/// @param logits  of ranking_logits()
/// Source: Henderson et al. 2017, section 4.4; sentence-transformers' MultipleNegativesRankingLoss
[[nodiscard]] at::Tensor ranking_loss(const at::Tensor& logits);

/// Rows whose own positive has the largest logit.
[[nodiscard]] at::Tensor ranked_first(const at::Tensor& logits);

}  // namespace summand::train
