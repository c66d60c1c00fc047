#include "api/sequences/sequence_results.hpp"

#include <fmt/format.h>

#include "api/heads/require_head.hpp"
#include "api/heads/text_logits.hpp"
#include "base/error.hpp"

namespace summand::api {

std::vector<std::vector<float>> vectors_of_sequences(std::span<const SequenceForVector> sequences) {
  std::vector<std::vector<float>> vectors(sequences.size());
  if (sequences.empty()) return vectors;
  model::Batch batch;
  for (const auto& [sequence, embedder] : sequences) batch.add(sequence->ids, sequence->segments);
  const Embedder& first = *sequences.front().embedder;
  const auto keep = [&](size_t text, const engine::TextResult& result) {
    vectors[text] = sequences[text].embedder->vector(result.hidden_states);
  };
  first.model().engine().run(
      batch, {.hidden_states = {first.hidden_states().begin(), first.hidden_states().end()}, .on_text = keep});
  return vectors;
}

Matrix<float> label_rows_of_sequences(const LoadedModel& model, std::span<const Sequence* const> sequences) {
  require_head(model, model::Head::sequence_classification);
  model::Batch batch;
  for (const Sequence* const sequence : sequences) batch.add(sequence->ids, sequence->segments);
  return rows_of_sequences(model, model::Head::sequence_classification, batch);
}

void check_sequence(const LoadedModel& model, const Sequence& sequence) {
  if (sequence.ids.empty()) throw TextError("ids", "expected at least one id, got none");
  if (sequence.ids.size() > model.position_limit()) {
    throw TextError("ids", fmt::format("expected at most {} ids, the positions that the model has, got {}",
                                       model.position_limit(), sequence.ids.size()));
  }
  for (const auto id : sequence.ids) {
    if (id >= 0 && id < model.config().vocab_size) continue;
    throw TextError("ids", fmt::format("expected ids from 0 to {}, got {}", model.config().vocab_size - 1, id));
  }
  for (const auto segment : sequence.segments) {
    if (segment >= 0 && segment < model.config().type_vocab_size) continue;
    throw TextError("segments",
                    fmt::format("expected segments from 0 to {}, got {}", model.config().type_vocab_size - 1, segment));
  }
}

}  // namespace summand::api
