#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/finetune/judging/evaluation.hpp"
#include "train/finetune/labelled/labelled_data.hpp"

namespace summand::train {

/// The logits of each row: [labels]; of words, [words with a piece · labels].
using RowLogits = std::vector<std::vector<float>>;

/// Whether rows come with their truth.
enum class Truth { known, unknown };

/// What logits say of rows, beside their truth if it is known. Each has a form of its own in predictions, mistakes and
/// scores; none of them fills in the baselines.
/// @param resampling  for the intervals of scores
[[nodiscard]] Evaluation judge_one_label(const LabelledRows& rows, const RowLogits& logits,
                                         std::span<const std::string> names, Truth truth, const Resampling& resampling);
/// A label holds if its logit is above 0.
[[nodiscard]] Evaluation judge_several_labels(const LabelledRows& rows, const RowLogits& logits,
                                              std::span<const std::string> names, Truth truth,
                                              const Resampling& resampling);
[[nodiscard]] Evaluation judge_words(const LabelledRows& rows, const RowLogits& logits,
                                     std::span<const std::string> names, Truth truth, const Resampling& resampling);
[[nodiscard]] Evaluation judge_numbers(const LabelledRows& rows, const RowLogits& logits, Truth truth,
                                       const Resampling& resampling);
/// Scores by sigmoid; a passage is relevant if its label is above .5.
[[nodiscard]] Evaluation judge_ranking(const LabelledRows& rows, const RowLogits& logits, Truth truth,
                                       const Resampling& resampling);

}  // namespace summand::train
