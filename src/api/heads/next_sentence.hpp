#pragma once

#include <vector>

#include "api/batches/record_batches.hpp"
#include "api/heads/text_logits.hpp"
#include "summand/heads.hpp"
#include "summand/taps.hpp"

namespace summand::api {

using summand::NextSentence;
using summand::Taps;

/// One result per pair.
/// @param logits  of the same call as the batch
/// @throws TextError naming a record that is not a pair
[[nodiscard]] std::vector<NextSentence> next_sentences(TextLogits& logits, RecordBatch& batch);

/// The logits of a call. Keeps references to the model and the taps.
/// @throws ConfigError if the model has no next-sentence head
[[nodiscard]] TextLogits next_sentence_logits(const LoadedModel& model, const Taps& taps, RepeatedTexts repeated);

/// @throws TextError naming the first record that is not a pair
void require_pairs(const RecordBatch& batch);

}  // namespace summand::api
