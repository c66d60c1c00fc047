#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "train/network/network.hpp"
#include "train/run/adamw.hpp"
#include "train/run/learning_options.hpp"
#include "train/run/learning_task.hpp"
#include "train/run/ranks.hpp"

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

/// Trains a network step by step, whatever the task, in one process or in several that share each step. The same
/// options, task and parameters give the same bits on the same machine with the same number of processes and threads.
class Learner {
 public:
  /// @param network, task  outlive this object
  /// @param rate  of each parameter; empty: 1 for all
  Learner(Network& network, LearningTask& task, const LearningOptions& options, const RateFactor& rate = {});

  /// From now on the processes share each step: all call begin_together() once and step() equally often.
  /// @param ranks  outlive this object
  void share_steps(Ranks& ranks) { ranks_ = &ranks; }
  [[nodiscard]] Ranks& ranks() { return *ranks_; }
  /// All ranks take over rank 0's parameters, optimiser and place in the data.
  void begin_together();
  /// @throws TrainingError unless all processes have the same parameters, bit by bit
  void require_same_parameters();

  /// Resumes from another learner's state; the task is restored by itself.
  void restore(const Progress& progress, const model::Weights& optimiser);

  /// @throws TrainingError if the loss or a gradient is not finite; the parameters then stay unchanged
  /// @throws IoError if another process has ended
  StepResult step();

  [[nodiscard]] const Progress& progress() const { return progress_; }
  [[nodiscard]] const LearningOptions& options() const { return options_; }
  [[nodiscard]] model::Weights optimiser() const { return adamw_.state(); }
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] LearningTask& task() { return task_; }

 private:
  void sum_over_ranks(StepWork& work);

  Network& network_;
  LearningTask& task_;
  LearningOptions options_;
  AdamW adamw_;
  std::vector<at::Tensor> trained_;
  std::map<std::string, std::vector<at::Tensor>> by_part_;
  Progress progress_;
  Ranks alone_;
  Ranks* ranks_ = &alone_;
};

}  // namespace summand::train
