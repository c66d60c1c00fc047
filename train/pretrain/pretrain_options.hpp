#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/enum_names.hpp"
#include "train/data/masked_batch.hpp"
#include "train/network/precision.hpp"
#include "train/run/first_values.hpp"
#include "train/run/learning_options.hpp"

namespace summand::train {

/// A phase of training with one sequence length: BERT's are 90 % at 128 and 10 % at 512.
struct Phase {
  size_t length = 128;  ///< most tokens of a sequence
  double share = 1;     ///< of all steps

  bool operator==(const Phase&) const = default;
};

/// Everything that determines a run's numbers, besides texts, tokenizer and initial model.
struct PretrainOptions {
  uint64_t seed = 0;
  FirstValues start = FirstValues::drawn;  ///< of a model that is no checkpoint's
  size_t batch_tokens = 4096;              ///< of a batch, special tokens included
  int64_t accumulate = 1;                  ///< batches per step
  std::vector<Phase> phases{Phase{}};
  Pairs pairs = Pairs::none;
  double short_share = 0.1;
  MaskRules masks;
  Segments segments = Segments::pair;
  bool random_start = false;
  LearningOptions learning;
  Precision precision = Precision::fp32;
  int64_t validate_every = 500;   ///< steps
  size_t valid_sequences = 1000;  ///< at most, of the validation texts
  size_t valid_length = 0;        ///< most tokens of a validation sequence; 0: see validation_length()
  int64_t patience = 0;           ///< validations without a lower loss before the run ends; 0: never
};

/// Most tokens of a validation sequence: as given, or those of the phase with the largest share; ties go to the
/// longest.
[[nodiscard]] size_t validation_length(const PretrainOptions& options);

/// The phase of a step. @param step  from 1 to the number of steps
[[nodiscard]] size_t phase_at(const PretrainOptions& options, int64_t step);

/// Why options are invalid: "--steps: expected …, got …"; empty if they are valid.
/// @param positions  of the model
[[nodiscard]] std::string validation_error(const PretrainOptions& options, size_t positions);

/// Reads "128" or "128:0.9,512:0.1".
/// @throws UsageError
[[nodiscard]] std::vector<Phase> parse_phases(const std::string& text);

/// Everything as JSON, for run.json and for comparing a resumed run.
[[nodiscard]] std::string to_json(const PretrainOptions& options);

}  // namespace summand::train
