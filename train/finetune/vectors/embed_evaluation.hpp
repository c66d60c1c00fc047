#pragma once

#include "train/finetune/judging/evaluation.hpp"
#include "train/finetune/vectors/embed_data.hpp"
#include "train/finetune/vectors/sentence_scores.hpp"

namespace summand::train {

/// Scores, predictions and worst mistakes of a judgement of some rows; no baselines.
[[nodiscard]] Evaluation embed_evaluation(SentenceLoss loss, const EmbedRows& rows, const SentenceJudgement& judgement,
                                          const Resampling& resampling);

}  // namespace summand::train
