#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/run/checkpoint_files.hpp"
#include "train/run/learner.hpp"
#include "train/run/run_folder.hpp"

namespace summand::train {

/// Progress of a run.
struct RunNews {
  enum class Kind { tokens, notice, begins, step, validation, saved } kind;
  std::string text;  ///< a line about it
  const RunState* state = nullptr;
  int64_t steps = 0;  ///< of the whole run
  double loss = 0;    ///< of the last step
  double seconds_left = 0;
  double tokens_per_second = 0;
};

using TellRun = std::function<void(const RunNews&)>;

/// When a run logs, validates, saves and ends, in steps.
struct RunPlan {
  int64_t log_every = 50;
  int64_t validate_every = 500;
  int64_t checkpoint_every = 500;
  int64_t patience = 0;            ///< validations without gain before it ends; 0: never
  std::vector<int64_t> keep = {};  ///< steps whose checkpoints are kept
};

/// How a run ended.
enum class Ending { finished, stopped_early, interrupted };

struct RunReport {
  Ending ending = Ending::finished;
  RunState state;
  int signal = 0;  ///< that interrupted the run
};

/// Trains to the last step, or until validations gain nothing, or a signal comes. Whenever it ends, and however, the
/// last checkpoint in the folder is complete.
/// @param saved  the state to resume from, which is moved from
/// @throws Error; of a TrainingError a note stays in the folder
/// If the learner shares steps, this is rank 0's part, and the other ranks call follow_run().
[[nodiscard]] RunReport run_learner(Learner& learner, RunFolder& folder, std::optional<RunFolder::Saved>& saved,
                                    const RunPlan& plan, const TokenizerContents& tokenizer, const TellRun& tell);

/// The other ranks' part of a run: steps as rank 0 does them, without a folder.
/// @throws Error, also if rank 0 ends before the run does
void follow_run(Learner& learner);

}  // namespace summand::train
