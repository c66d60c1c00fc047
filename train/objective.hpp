#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "train/data/masked_batch.hpp"
#include "train/network.hpp"
#include "train/precision.hpp"

namespace summand::train {

/// What a model made of some batches, summed: numbers of several batches add up.
struct LossSums {
  double masked_loss = 0;  ///< nats, over predicted tokens
  uint64_t predicted = 0;
  uint64_t masked_right = 0;  ///< of these, those whose most likely token was right
  double pair_loss = 0;       ///< nats, over pairs
  uint64_t pairs = 0;
  uint64_t pairs_right = 0;
  uint64_t pairs_follow_not = 0;  ///< of the pairs, those whose right answer is kFollowsNot

  LossSums& operator+=(const LossSums& other);
  [[nodiscard]] double mean_masked_loss() const;
  [[nodiscard]] double mean_pair_loss() const;
  /// Of the pairs, the share that is right for whoever always gives the commoner answer.
  [[nodiscard]] double pair_base_rate() const;
  /// Of both, as they are trained: Devlin et al. 2019, section 3.1
  [[nodiscard]] double loss() const { return mean_masked_loss() + mean_pair_loss(); }
};

/// What several batches have that one gradient is made of.
struct Denominators {
  uint64_t predicted = 0;
  uint64_t pairs = 0;
};

struct Loss {
  at::Tensor share;  ///< this batch's part of the mean loss; undefined where it has none
  LossSums sums;
};

/// Masked-language loss over predicted tokens and pair loss over pairs, in single precision. Rows that are not
/// predicted never reach the vocabulary.
/// @param of  of all batches of the step; this one's where it stands alone
[[nodiscard]] Loss loss_of(const Network& network, const MaskedBatch& batch, const Denominators& of,
                           const Dropout* dropout = nullptr);

/// Adds the gradients of loss_of()'s share to the parameters', in the precision asked for. Logits of so many predicted
/// tokens at a time exist as a processor's cache holds: of all of a batch they would be the most memory that a step
/// takes.
[[nodiscard]] LossSums learn_from(const Network& network, const MaskedBatch& batch, const Denominators& of,
                                  const Dropout* dropout, Precision precision);

}  // namespace summand::train
