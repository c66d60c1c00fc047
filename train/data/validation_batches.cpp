#include "train/data/validation_batches.hpp"

namespace summand::train {

namespace {

constexpr double kRate = 0.15;        // what BERT is trained with, whatever a run is
constexpr uint64_t kSeed = 20181011;  // one for all runs

}  // namespace

std::vector<MaskedBatch> validation_batches(const TokenFile& file, const SpecialIds& ids, const SequenceRules& rules,
                                            size_t most_tokens, size_t most_sequences) {
  SequenceRules own = rules;
  own.examples.short_share = 0;
  own.masks = {.selection = Selection::exact, .predict_rate = kRate, .corrupt_rate = kRate};
  own.random_start = false;
  std::vector<MaskedBatch> batches(1);
  ExampleStream stream(file, own.examples, kSeed);
  const size_t special = special_tokens_of(own.examples.pairs);
  for (size_t i = 0; i < most_sequences && stream.place().epoch == 0; ++i, stream.advance()) {
    const size_t tokens = stream.current().tokens() + special;
    if (batches.back().batch.tokens() + tokens > most_tokens) batches.emplace_back();
    append_masked(batches.back(), file, stream.current(), own, ids, 0, kSeed, 0);
  }
  return batches;
}

}  // namespace summand::train
