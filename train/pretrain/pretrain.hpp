#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "text/input_record.hpp"
#include "train/pretrain/pretrain_options.hpp"
#include "train/run/enlarge.hpp"
#include "train/run/ranks.hpp"
#include "train/run/run.hpp"

namespace summand::train {

/// Inputs and outputs of a pre-training run.
struct PretrainRequest {
  std::vector<std::string> texts;
  std::vector<std::string> valid;
  text::InputFields fields = {};    ///< of records
  std::filesystem::path tokenizer;  ///< a folder
  std::string config;               ///< a config.json; one of this and `init` is empty
  std::string init;                 ///< a checkpoint to continue from
  Enlargement enlargement;          ///< of that checkpoint's tables
  std::filesystem::path tokens;     ///< folder of tokenized texts; empty: in the run's
  std::filesystem::path out;
  PretrainOptions options;
  bool length_is_default = false;  ///< --length was not given: limited by the model's positions
  int threads = 0;                 ///< of a process; 0: Ranks::default_threads()
  bool cuda = false;
  bool resume = false;
  int64_t log_every = 50;          ///< steps
  int64_t checkpoint_every = 500;  ///< steps
  std::vector<int64_t> keep;       ///< steps whose checkpoints are kept
  std::string command;             ///< for run.json
};

/// Trains a model on texts: docs/pretraining.md. However it ends, the last checkpoint in its folder is complete.
/// @param ranks  that train together; rank 0 alone writes, tells and reports
/// @throws Error
RunReport pretrain(const PretrainRequest& request, Ranks& ranks, const TellRun& tell);

}  // namespace summand::train
