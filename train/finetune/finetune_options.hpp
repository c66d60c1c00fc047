#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/enum_names.hpp"
#include "model/heads.hpp"
#include "model/window_encoder.hpp"
#include "summand/windows.hpp"
#include "text/truncation.hpp"
#include "train/finetune/labelled/labels.hpp"
#include "train/finetune/vectors/embed_options.hpp"
#include "train/network/precision.hpp"
#include "train/run/enlarge.hpp"
#include "train/run/learning_options.hpp"

namespace summand::train {

/// What a model is fine-tuned for.
enum class FinetuneTask {
  classify,  ///< one text: a label, or several
  pair,      ///< two texts: likewise
  regress,   ///< one text or two: a number
  tag,       ///< words: a label for each
  rank,      ///< a query and a passage: how relevant, 0 to 1
  embed,     ///< sentence vectors
};
[[nodiscard]] std::span<const model::EnumName<FinetuneTask>> enum_names(FinetuneTask);

/// Everything that determines a fine-tuning's numbers, besides the checkpoint and the files.
struct FinetuneOptions {
  FinetuneTask task = FinetuneTask::classify;
  bool multi_label = false;
  uint64_t seed = 0;
  int64_t epochs = 3;
  size_t batch_size = 32;                           ///< rows of a step
  size_t batch_tokens = 8192;                       ///< most tokens of a micro-batch, which are in memory at once
  LearningOptions learning{.learning_rate = 5e-5};  ///< its steps and warmup follow from the rows
  double warmup = 0.1;                              ///< below 1: share of the steps; else steps
  double layer_decay = 1;                           ///< factor of the learning rate from a layer to the one below
  std::optional<int64_t> freeze = {};               ///< tables and so many layers keep their values; none: all learn
  std::string class_weights = "none";               ///< or "balanced", or a file
  std::optional<std::string> metric = {};           ///< that decides which checkpoint is the best; none: the task's
  int64_t patience = 0;                             ///< validations without gain before the run ends; 0: never
  double valid_share = 0.1;                         ///< of the training rows, without a file of validation rows
  std::optional<size_t> max_length = {};            ///< tokens of a row; none: what model and tokenizer allow
  text::Truncation truncation = text::Truncation::longest_first;
  std::optional<WindowOptions> windows = {};                             ///< divide longer rows instead of cutting them
  model::WindowEncoder window_encoder{.layers = 2, .most_windows = 32};  ///< of WindowPooling::transformer
  Enlargement enlargement = {};        ///< of the model's position table, for longer rows
  std::optional<double> dropout = {};  ///< in place of config.json's, everywhere
  Precision precision = Precision::fp32;
  int64_t validate_every = 0;  ///< steps; 0: once an epoch
  EmbedOptions embed = {};     ///< of task embed alone
};

/// Whether the model gets a transformer over windows.
[[nodiscard]] bool encodes_windows(const FinetuneOptions& options);

/// The shape of a task's labels. Not for `embed`.
[[nodiscard]] LabelShape label_shape(const FinetuneOptions& options);

/// The head of a task. Not for `embed`.
[[nodiscard]] model::Head head_of(FinetuneTask task);

/// Scores that a task has, the one first that decides where none is named. `loss` is one of every task.
[[nodiscard]] std::span<const std::string_view> metrics_of(const FinetuneOptions& options);
[[nodiscard]] bool is_better_when_higher(std::string_view metric);

/// Why options are invalid: "--epochs: expected …, got …"; empty if they are valid.
[[nodiscard]] std::string validation_error(const FinetuneOptions& options);

/// Steps of warmup. @param steps  in all
[[nodiscard]] int64_t warmup_steps(double warmup, int64_t steps);

/// Everything as JSON, for run.json and for comparing a resumed run.
[[nodiscard]] std::string to_json(const FinetuneOptions& options);

}  // namespace summand::train
