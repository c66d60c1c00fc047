#pragma once

#include <vector>

#include "api/record_batches.hpp"
#include "summand/heads.hpp"
#include "summand/taps.hpp"

namespace summand::api {

using summand::NextSentence;
using summand::Taps;

/// One for each pair.
/// @throws ConfigError if the model has no next-sentence head; TextError naming a record that is no pair
[[nodiscard]] std::vector<NextSentence> next_sentences(const LoadedModel& model, const RecordBatch& batch,
                                                       const Taps& taps = {});

/// @throws TextError naming the first record that is no pair
void require_pairs(const RecordBatch& batch);

}  // namespace summand::api
