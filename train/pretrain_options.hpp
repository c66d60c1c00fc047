#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/enum_names.hpp"
#include "train/adamw.hpp"
#include "train/data/masked_batch.hpp"
#include "train/precision.hpp"

namespace summand::train {

/// How the learning rate falls, once it has risen in a line: to 0 at the last step, or not at all.
enum class Schedule { linear, cosine, constant };
[[nodiscard]] std::span<const model::EnumName<Schedule>> enum_names(Schedule);

/// A part of the training at one length: BERT's is 90 % at 128 and 10 % at 512.
struct Phase {
  size_t length = 128;  ///< tokens of a sequence at most
  double share = 1;     ///< of all steps

  bool operator==(const Phase&) const = default;
};

/// All that decides which numbers a run comes to, beside its texts, its tokenizer and the model that it begins with.
struct PretrainOptions {
  uint64_t seed = 0;
  int64_t steps = 10000;
  size_t batch_tokens = 4096;  ///< of a batch, special ones among them
  int64_t accumulate = 1;      ///< batches that one step is made of
  std::vector<Phase> phases{Phase{}};
  Pairs pairs = Pairs::none;
  double short_share = 0.1;
  MaskRules masks;
  Segments segments = Segments::pair;
  bool random_start = false;
  double learning_rate = 5e-4;
  int64_t warmup = 500;  ///< steps
  Schedule schedule = Schedule::linear;
  AdamWOptions adamw;
  double clip = 1;  ///< the largest norm of a step's gradient
  Precision precision = Precision::fp32;
  int64_t validate_every = 500;   ///< steps
  size_t valid_sequences = 1000;  ///< at most, of the validation texts
  size_t valid_length = 0;        ///< tokens of a validation sequence at most; 0: as most of the training's
  int64_t patience = 0;           ///< validations without a lower loss that end the run; 0: none do
};

/// Tokens that a validation sequence has at most: as asked, or as those of the phase with the largest share, of several
/// the longest.
[[nodiscard]] size_t validation_length(const PretrainOptions& options);

/// The learning rate of a step. @param step  from 1 to the number of steps
[[nodiscard]] double learning_rate_at(const PretrainOptions& options, int64_t step);

/// Which phase a step belongs to. @param step  as above
[[nodiscard]] size_t phase_at(const PretrainOptions& options, int64_t step);

/// What is wrong, as "--steps: expected …, got …"; empty where nothing is.
/// @param positions  that the model has
[[nodiscard]] std::string validation_error(const PretrainOptions& options, size_t positions);

/// Reads "128" or "128:0.9,512:0.1".
/// @throws UsageError
[[nodiscard]] std::vector<Phase> phases_of(const std::string& text);

/// Everything as JSON, for run.json, and to tell whether a run goes on as it began.
[[nodiscard]] std::string to_json(const PretrainOptions& options);

}  // namespace summand::train
