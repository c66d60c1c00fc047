#pragma once

#include <filesystem>
#include <string>

#include "train/finetune/finetuning_task.hpp"
#include "train/run/run_state.hpp"

namespace summand::train {

/// What a trained network is worth: metrics.json with scores, intervals, baselines, confusion and mistakes of the
/// validation's and the test's rows; predictions.jsonl with those of the test's rows, then those of --predict. A run's
/// page shows metrics.json, with "notes": what was said of the files, and what to think of the scores.
/// @param network  the best one
/// @return a line for each portion with its scores: "test: accuracy 0.91 [0.89, 0.93] of 1066 rows; …"
/// @throws IoError if a file cannot be written; Interrupted, when predictions.jsonl is written and metrics.json is not
[[nodiscard]] std::vector<std::string> write_results(const std::filesystem::path& folder, const FinetuningTask& task,
                                                     const Network& network, const RunState& state);

}  // namespace summand::train
