#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "train/network/network.hpp"
#include "train/run/adamw.hpp"
#include "train/run/learning_options.hpp"
#include "train/run/learning_task.hpp"

namespace summand::train {

/// How far a run has come.
struct Progress {
  int64_t step = 0;     ///< steps done
  uint64_t tokens = 0;  ///< read so far
};

/// Result of one step.
struct StepResult {
  StepWork work;
  double learning_rate = 0;
  double gradient_norm = 0;                  ///< before clipping
  std::map<std::string, double> part_norms;  ///< gradient norms per group of parameters: token, position, segment, …
};

/// Trains a network step by step, whatever the task. The same options, task and parameters give the same bits on the
/// same machine with the same number of threads.
class Learner {
 public:
  /// @param network, task  outlive this object
  /// @param rate  of each parameter; empty: 1 for all
  Learner(Network& network, LearningTask& task, const LearningOptions& options, const RateFactor& rate = {});

  /// Resumes from another learner's state; the task is restored by itself.
  void restore(const Progress& progress, const model::Weights& optimiser);

  /// @throws TrainingError if the loss or a gradient is not finite; the parameters then stay unchanged
  StepResult step();

  [[nodiscard]] const Progress& progress() const { return progress_; }
  [[nodiscard]] const LearningOptions& options() const { return options_; }
  [[nodiscard]] model::Weights optimiser() const { return adamw_.state(); }
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] LearningTask& task() { return task_; }

 private:
  Network& network_;
  LearningTask& task_;
  LearningOptions options_;
  AdamW adamw_;
  std::vector<at::Tensor> trained_;
  std::map<std::string, std::vector<at::Tensor>> by_part_;
  Progress progress_;
};

}  // namespace summand::train
