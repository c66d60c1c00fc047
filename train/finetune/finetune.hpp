#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "text/input_record.hpp"
#include "train/finetune/finetune_options.hpp"
#include "train/run/ranks.hpp"
#include "train/run/run.hpp"

namespace summand::train {

/// Inputs and outputs of a fine-tuning.
struct FinetuneRequest {
  std::string model;                         ///< a checkpoint's folder, or a model's name
  std::string train, valid, test, predict;   ///< files; the last three may be empty
  std::string teacher, valid_teacher;        ///< .npy files of vectors for rows of `train` and `valid`, to distil
  text::InputFields fields = {};             ///< text, pair and label
  std::optional<std::string> negative = {};  ///< of task embed: key or column of hard negatives; none: no negatives
  std::filesystem::path out;
  FinetuneOptions options;
  int threads = 0;  ///< of a process; 0: Ranks::default_threads()
  bool resume = false;
  bool overwrite = false;        ///< removes a run that is in the folder
  int64_t log_every = 10;        ///< steps
  int64_t checkpoint_every = 0;  ///< steps; 0: once an epoch
  std::string command;           ///< for run.json
};

/// Fine-tunes a model on a file of rows: docs/finetuning.md. However it ends, the last checkpoint in its folder is
/// complete; if it ends by itself, metrics.json, predictions.jsonl and the page of the best one are there.
/// @param ranks  that train together; rank 0 alone writes, tells and reports
/// @throws Error
RunReport finetune(const FinetuneRequest& request, Ranks& ranks, const TellRun& tell);

}  // namespace summand::train
