#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "train/adamw.hpp"
#include "train/data/masked_batch.hpp"
#include "train/network.hpp"
#include "train/objective.hpp"
#include "train/pretrain_options.hpp"

namespace summand::train {

/// Progress of a run: everything needed to resume, besides parameters and the optimiser's averages.
struct Progress {
  int64_t step = 0;                 ///< steps done
  BatchPlace place;                 ///< the next batch
  uint64_t tokens = 0;              ///< read so far
  std::vector<uint64_t> seen;       ///< [positions], tokens seen at each
  std::vector<uint64_t> predicted;  ///< [positions], of these, predicted ones
};

/// Result of one step.
struct StepResult {
  LossSums sums;
  uint64_t tokens = 0;
  double learning_rate = 0;
  double gradient_norm = 0;                  ///< before clipping
  std::map<std::string, double> part_norms;  ///< gradient norms per group of parameters: token, position, segment, …
};

/// Trains a network step by step. The same options, texts and parameters give the same bits on the same machine with
/// the same number of threads.
class Trainer {
 public:
  /// @param network, file, ids  outlive this object
  Trainer(Network& network, const TokenFile& file, const SpecialIds& ids, const PretrainOptions& options);

  /// Resumes from another trainer's state.
  void restore(const Progress& progress, const model::Weights& optimiser);

  /// @throws Error if the loss or a gradient is not finite; the parameters then stay unchanged
  StepResult step();

  [[nodiscard]] const Progress& progress() const { return progress_; }
  [[nodiscard]] model::Weights optimiser() const { return adamw_.state(); }
  [[nodiscard]] Network& network() { return network_; }

 private:
  [[nodiscard]] SequenceRules rules(size_t phase) const;
  std::vector<MaskedBatch> draw();

  Network& network_;
  const TokenFile& file_;
  const SpecialIds& ids_;
  PretrainOptions options_;
  AdamW adamw_;
  std::vector<at::Tensor> trained_;
  std::map<std::string, std::vector<at::Tensor>> by_part_;
  Progress progress_;
  std::optional<BatchStream> stream_;
};

/// Validation: the loss over fixed batches, without dropout and without gradients.
[[nodiscard]] LossSums validate(const Network& network, const std::vector<MaskedBatch>& batches, Precision precision);

/// The rules of a run's validation sequences: see validation_length().
[[nodiscard]] SequenceRules validation_rules(const PretrainOptions& options);

}  // namespace summand::train
