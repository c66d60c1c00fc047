#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "text/input_record.hpp"
#include "train/enlarge.hpp"
#include "train/pretrain_options.hpp"
#include "train/run_folder.hpp"

namespace summand::train {

/// What a pre-training begins with, and where it goes.
struct PretrainRequest {
  std::vector<std::string> texts;
  std::vector<std::string> valid;
  text::InputFields fields = {};    ///< of records
  std::filesystem::path tokenizer;  ///< a folder
  std::string config;               ///< a config.json; one of this and `init` is empty
  std::string init;                 ///< a checkpoint that is gone on with
  Enlargement enlargement;          ///< of that checkpoint's tables
  std::filesystem::path tokens;     ///< where tokenized texts are kept; empty: in the run
  std::filesystem::path out;
  PretrainOptions options;
  bool length_is_default = false;  ///< --length was not given: no more than the model has positions
  int threads = 0;                 ///< 0: as many as the process may keep busy
  bool cuda = false;
  bool resume = false;
  int64_t log_every = 50;          ///< steps
  int64_t checkpoint_every = 500;  ///< steps
  std::vector<int64_t> keep;       ///< steps whose checkpoints stay
  std::string command;             ///< for run.json
};

/// What a run tells on its way.
struct PretrainNews {
  enum class Kind { tokens, notice, begins, step, validation, saved } kind;
  std::string text;  ///< a line about it
  const RunState* state = nullptr;
  double loss = 0;  ///< of the last step, or the validation
  double seconds_left = 0;
  double tokens_per_second = 0;
};

/// How a run ended.
enum class Ending { finished, stopped_early, interrupted };

struct PretrainReport {
  Ending ending = Ending::finished;
  RunState state;
  int signal = 0;  ///< that interrupted it
};

/// Trains a model on texts: docs/pretraining.md. Whatever ends it, the last checkpoint in its folder is whole.
/// @throws Error, as its parts do
PretrainReport pretrain(const PretrainRequest& request, const std::function<void(const PretrainNews&)>& tell);

}  // namespace summand::train
