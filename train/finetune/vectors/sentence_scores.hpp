#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "train/finetune/judging/scores.hpp"
#include "train/finetune/vectors/sentence_objective.hpp"

namespace summand::train {

/// What a network makes of each row or pair that is scored: predicted and true similarities, or losses and hits.
struct SentenceJudgement {
  std::vector<double> losses;               ///< [rows]
  std::vector<double> hits;                 ///< [rows], ranking: 1 if the own positive comes first
  std::vector<uint8_t> comparable;          ///< [rows], ranking: 0 if there was no wrong text to come first
  std::vector<size_t> best;                 ///< [rows], ranking: the row whose text comes first
  std::vector<uint8_t> best_is_negative;    ///< [rows], ranking: 1 if that is its hard negative, not its positive
  std::vector<double> truth, similarities;  ///< cosine: [rows]; distillation: [rows], of each row with its partner
};

/// Judges all rows. Ranking compares each with the rows of its group of ranking_groups(), whatever a step has.
/// Distillation compares each row's text with that of its partner: the next one in an order drawn once.
[[nodiscard]] SentenceJudgement judge(const SentenceObjective& objective, const Network& network,
                                      const SentenceExamples& examples);

/// Scores of a judgement by metrics_of(): ranking: accuracy at 1 and mean loss of the comparable rows, 0 without any;
/// cosine and distillation: Spearman's and Pearson's correlation of similarities, and mean loss.
[[nodiscard]] std::vector<Score> sentence_scores(SentenceLoss loss, const SentenceJudgement& judgement,
                                                 const Resampling& resampling);

}  // namespace summand::train
