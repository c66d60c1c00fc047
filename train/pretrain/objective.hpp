#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "train/data/masked_batch.hpp"
#include "train/network/network.hpp"
#include "train/network/precision.hpp"
#include "train/run/learning_task.hpp"

namespace summand::train {

/// Sums of losses and hits over batches.
struct LossSums {
  double masked_loss = 0;  ///< nats, over predicted tokens
  uint64_t predicted = 0;
  uint64_t masked_right = 0;  ///< of these, with the right token as the most likely
  double pair_loss = 0;       ///< nats, over pairs
  uint64_t pairs = 0;
  uint64_t pairs_right = 0;
  uint64_t pairs_follow_not = 0;  ///< of the pairs, with the label kFollowsNot

  LossSums& operator+=(const LossSums& other);
  [[nodiscard]] double mean_masked_loss() const;
  [[nodiscard]] double mean_pair_loss() const;
  /// Accuracy on pairs of always giving the more common answer.
  [[nodiscard]] double pair_base_rate() const;
  /// Training loss: the sum of both mean losses, Devlin et al. 2019, section 3.1
  [[nodiscard]] double loss() const { return mean_masked_loss() + mean_pair_loss(); }
};

/// By name, for a run's state, and back: what is missing is 0.
[[nodiscard]] Sums to_sums(const LossSums& sums);
[[nodiscard]] LossSums loss_sums(const Sums& sums);

/// Token and pair counts over the batches of one step.
struct Denominators {
  uint64_t predicted = 0;
  uint64_t pairs = 0;
};

struct Loss {
  at::Tensor share;  ///< this batch's part of the mean loss; undefined if it has none
  LossSums sums;
};

/// Masked-language loss over predicted tokens and pair loss over pairs, in single precision. Only
/// predicted rows are multiplied with the vocabulary.
/// @param of  over all batches of the step, or of this one alone
[[nodiscard]] Loss batch_loss(const Network& network, const MaskedBatch& batch, const Denominators& of,
                              const Dropout* dropout = nullptr);

/// Adds the gradients of batch_loss()'s share to the parameters', in the given precision. Computes logits for as many
/// tokens at a time as fit in the cache: for a whole batch they would take more memory than anything else in a step.
[[nodiscard]] LossSums accumulate_gradients(const Network& network, const MaskedBatch& batch, const Denominators& of,
                                            const Dropout* dropout, Precision precision);

}  // namespace summand::train
