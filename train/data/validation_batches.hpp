#pragma once

#include <cstdint>
#include <vector>

#include "train/data/masked_batch.hpp"

namespace summand::train {

/// The validation batches, the same at every call and for all runs on these texts with the same length, pairs and
/// segments: BERT's masks of exactly 15 % of the tokens, drawn once, so that arms with different masks are measured on
/// the same ones. No sequence is shortened, and positions start at 0.
/// @param rules  their length, pairs and segments are used
/// @param most_tokens  of a batch
/// @param most_sequences  limit: the first ones in the order of an epoch
[[nodiscard]] std::vector<MaskedBatch> validation_batches(const TokenFile& file, const SpecialIds& ids,
                                                          const SequenceRules& rules, size_t most_tokens,
                                                          size_t most_sequences);

}  // namespace summand::train
