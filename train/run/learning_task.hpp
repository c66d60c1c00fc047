#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "train/network/network.hpp"
#include "train/run/share.hpp"

namespace summand::train {

/// Sums over examples by name, such as losses and hits.
using Sums = std::map<std::string, double>;
void add(Sums& sums, const Sums& more);

/// What a task did in a step, or a process of several for its share.
struct StepWork {
  Sums sums;
  double loss = 0;  ///< the step's mean, or what the share adds to it
  uint64_t tokens = 0;
};

/// Result of a validation.
struct Validation {
  double score = 0;     ///< decides which checkpoint is the best: LearningTask::higher_is_better()
  double loss = 0;      ///< of equal scores the one with the lower loss is better
  std::string numbers;  ///< a JSON object, for metrics.jsonl
  std::string text;     ///< "validation loss 2.31, …"
  std::string warning;  ///< "; …", or empty
};

/// What a run learns: its examples, its loss and its validation. Pre-training is one, fine-tuning another; a Learner
/// trains on any of them.
class LearningTask {
 public:
  virtual ~LearningTask() = default;

  /// Draws the step's examples and adds the gradients of a share of their mean loss to the parameters'. Each process
  /// draws all examples; gradients and work of all shares add up to the step's.
  /// @param step  from 1; after restore(), the one after the last
  virtual StepWork accumulate_gradients(const Network& network, int64_t step, const Share& share) = 0;

  [[nodiscard]] virtual Validation validate(const Network& network) const = 0;
  [[nodiscard]] virtual bool higher_is_better() const { return false; }

  /// Sums over some steps as a JSON object, for metrics.jsonl.
  [[nodiscard]] virtual nlohmann::ordered_json numbers(const Sums& sums) const = 0;
  [[nodiscard]] virtual uint64_t epoch() const = 0;

  /// Place in the data, as keys of state.json. No key may be one of RunState's.
  [[nodiscard]] virtual nlohmann::ordered_json state() const = 0;
  /// @param state  a whole state.json
  /// @throws CheckpointError if it does not fit; nlohmann's exceptions if a key is missing
  virtual void restore(const nlohmann::json& state) = 0;
};

}  // namespace summand::train
