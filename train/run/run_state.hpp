#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "train/run/learner.hpp"
#include "train/run/metrics.hpp"

namespace summand::train {

/// Everything needed to resume a run, besides the parameters.
struct RunState {
  Progress progress;
  Interval interval;         ///< since the last line of metrics
  double best_score = 0;     ///< of all validations, if best_step > 0
  double best_loss = 0;      ///< there: Validation::loss
  int64_t best_step = 0;     ///< 0: none yet
  int64_t without_gain = 0;  ///< validations since then
  uint64_t metrics_bytes = 0;
  double seconds = 0;  ///< of training in total
  std::string task;    ///< LearningTask::state(), dumped; of a state that was read, all of it
};

inline constexpr size_t kLongestState = size_t{1} << 26;  ///< bytes of state.json that are read

/// state.json: the run's keys and the task's.
[[nodiscard]] std::string to_json(const RunState& state);

/// @param path  for messages
/// @throws CheckpointError if a key is missing
[[nodiscard]] RunState run_state(const std::string& json, const std::string& path);

}  // namespace summand::train
