#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <vector>

namespace summand::train {

/// What divides cosines before the softmax: sentence-transformers' scale of 20.
inline constexpr double kRankingScale = 20;

/// The texts of a batch's rows by number: equal texts have equal numbers.
struct RowTexts {
  std::vector<size_t> anchors, positives;  ///< [rows]
  std::vector<size_t> negatives;           ///< [rows], hard ones, or empty
};

/// Candidates that are right for a row too, and so are no negatives: other rows' positives, and hard negatives, that
/// are the row's anchor or a positive of a row with the same anchor.
/// @return [rows, candidates], bool; candidates are all positives, then all negatives
[[nodiscard]] at::Tensor false_negatives(const RowTexts& texts);

/// Rows with a candidate besides their own positive that is no false negative.
/// @param false_negatives  [rows, candidates]
/// @return [rows], bool
[[nodiscard]] at::Tensor rows_with_wrong_texts(const at::Tensor& false_negatives);

/// Logits of every row's anchor with all candidates: scale · cosine; −∞ for false negatives.
/// @param anchors  [rows, width]
/// @param candidates  [candidates, width], all positives first
/// @return [rows, candidates]; the right one is on the diagonal
[[nodiscard]] at::Tensor ranking_logits(const at::Tensor& anchors, const at::Tensor& candidates,
                                        const at::Tensor& false_negatives, double scale = kRankingScale);

/// Multiple negatives ranking: the mean cross-entropy of each anchor's own positive among all candidates of the batch.
/// @param logits  of ranking_logits()
/// Source: Henderson et al. 2017, section 4.4; sentence-transformers' MultipleNegativesRankingLoss
[[nodiscard]] at::Tensor ranking_loss(const at::Tensor& logits);

/// Rows whose own positive has the largest logit.
[[nodiscard]] at::Tensor ranked_first(const at::Tensor& logits);

}  // namespace summand::train
