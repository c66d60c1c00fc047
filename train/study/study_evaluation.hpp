#pragma once

#include <ATen/ATen.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "train/network/network.hpp"
#include "train/study/study_batch.hpp"
#include "train/study/study_rows.hpp"

namespace summand::train {

/// How far a model is from the best possible prediction. Source: docs/study-tasks.md
struct Excess {
  double excess = 0;                      ///< mean divergence from the posterior, nats
  std::map<std::string, Stratum> strata;  ///< of those answers that depend most on something, by its name
  std::optional<double> hidden_boundary;  ///< of the best reader who is not told the boundary
};

/// Evaluation sequences with their posteriors.
class StudyEvaluation {
 public:
  /// @param task  outlives this object
  /// @param masked  how many symbols of a sequence, if not the task's number
  StudyEvaluation(const Task& task, const Reading& reading, size_t sequences, std::optional<size_t> masked = {});

  /// Of the context-free distribution.
  [[nodiscard]] double gap() const { return gap_; }
  [[nodiscard]] size_t asked() const { return asked_; }
  [[nodiscard]] double excess_of(const Network& network) const;
  [[nodiscard]] Excess excess_with_strata(const Network& network) const;

 private:
  /// Divergences of what is asked in a batch, [asked].
  [[nodiscard]] at::Tensor divergences(const Network& network, size_t batch) const;

  const Task& task_;
  std::vector<TaskSequence> sequences_;
  std::vector<MaskedBatch> batches_;
  std::vector<double> constant_;        ///< the context-free distribution
  std::vector<at::Tensor> posteriors_;  ///< of each batch [asked, answers], double
  size_t asked_ = 0;
  double gap_ = 0;
};

/// The model's logits of what is asked, [asked, answers]: of the symbols alone where symbols are asked, of all tokens.
[[nodiscard]] at::Tensor log_probabilities(const Network& network, const Task& task, const MaskedBatch& batch);

}  // namespace summand::train
