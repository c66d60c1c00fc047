#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/sentence_modules.hpp"
#include "train/finetune/judging/scores.hpp"
#include "train/finetune/vectors/embed_options.hpp"
#include "train/finetune/vectors/sentence_rows.hpp"
#include "train/finetune/vectors/teacher_vectors.hpp"
#include "train/network/network.hpp"
#include "train/network/precision.hpp"
#include "train/run/learning_task.hpp"

namespace summand::train {

/// Rows with what their vectors are to become.
struct SentenceExamples {
  SentenceRows rows;
  std::vector<double> labels = {};                     ///< [rows], for cosine
  std::shared_ptr<const TeacherVectors> teacher = {};  ///< for distillation; rows of a split share a file
  std::vector<size_t> teacher_rows = {};               ///< [rows], in the teacher's file
};

/// Everything that sentence vectors and their losses depend on, besides network and rows.
struct SentenceObjectiveOptions {
  SentenceLoss loss = SentenceLoss::ranking;
  model::SentenceModules modules;
  double scale = 20;           ///< of cosines, for ranking
  size_t batch_tokens = 8192;  ///< of texts whose activations are in memory at once
  Precision precision = Precision::fp32;
  uint64_t seed = 0;  ///< of dropout
};

/// Losses of sentence vectors, with gradients.
class SentenceObjective {
 public:
  explicit SentenceObjective(SentenceObjectiveOptions options) : options_(std::move(options)) {}

  /// Adds the gradients of the mean loss over some rows, with dropout. Ranking compares all of them with one another
  /// and caches gradients if they are more than one part.
  /// @return sums "loss" and "rows"; for ranking also "compared", rows with a wrong text among them, and "right" of
  /// these
  StepWork add_gradients(const Network& network, const SentenceExamples& examples, std::span<const size_t> chosen,
                         int64_t step) const;

  /// Vectors of some rows' texts without dropout or gradients, [rows · texts per row, width], row by row.
  [[nodiscard]] at::Tensor vectors(const Network& network, const SentenceRows& rows,
                                   std::span<const size_t> chosen) const;

  [[nodiscard]] const SentenceObjectiveOptions& options() const { return options_; }

 private:
  [[nodiscard]] at::Tensor part_vectors(const Network& network, const model::Batch& batch,
                                        const Dropout* dropout) const;
  StepWork add_ranking(const Network& network, const SentenceExamples& examples, std::span<const size_t> chosen,
                       int64_t step) const;
  StepWork add_row_losses(const Network& network, const SentenceExamples& examples, std::span<const size_t> chosen,
                          int64_t step) const;

  SentenceObjectiveOptions options_;
};

/// Logits of some rows' anchors with their positives, then their hard negatives if rows have three texts.
/// @param vectors  [texts per row · rows, width], row by row
/// @return [rows, candidates]
[[nodiscard]] at::Tensor ranking_logits(const at::Tensor& vectors, const SentenceRows& rows,
                                        std::span<const size_t> chosen, double scale);

}  // namespace summand::train
