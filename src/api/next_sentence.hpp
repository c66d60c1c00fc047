#pragma once

#include <array>
#include <vector>

#include "api/record_batches.hpp"

namespace summand::api {

/// Whether the second text of a pair follows the first.
struct NextSentence {
  double is_next = 0;  ///< probability, softmax of the two logits
  double not_next = 0;
  std::array<float, 2> logits = {};  ///< "is next" first, as BertForNextSentencePrediction has them
};

/// One for each pair.
/// @throws ConfigError if the model has no next-sentence head; TextError naming a record that is no pair
[[nodiscard]] std::vector<NextSentence> next_sentences(const LoadedModel& model, const RecordBatch& batch);

/// @throws TextError naming the first record that is no pair
void require_pairs(const RecordBatch& batch);

}  // namespace summand::api
