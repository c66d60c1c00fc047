#pragma once

#include <cstdint>
#include <vector>

#include "train/data/masked_batch.hpp"

namespace summand::train {

/// What validation reads, the same at every call and for all runs on these texts: masks as BERT's, 15 % of the tokens
/// exactly, drawn once and for all, so that arms with other masks are measured on the same (another length, pairs or
/// segments make others); no sequence is shortened, and positions count from 0.
/// @param rules  whose length, pairs and segments are taken
/// @param most_tokens  of a batch
/// @param most_sequences  no more than these, the first ones of the order in which an epoch reads them
[[nodiscard]] std::vector<MaskedBatch> validation_batches(const TokenFile& file, const SpecialIds& ids,
                                                          const SequenceRules& rules, size_t most_tokens,
                                                          size_t most_sequences);

}  // namespace summand::train
