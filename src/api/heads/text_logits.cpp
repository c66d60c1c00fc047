#include "api/heads/text_logits.hpp"

#include "api/batches/batch_taps.hpp"
#include "api/heads/require_head.hpp"

namespace summand::api {

namespace {

/// Null if the head reads no windows by it.
const engine::WindowEncoder* window_encoder_for(const LoadedModel& model, model::Head head) {
  return head == model::Head::sequence_classification ? model.window_encoder() : nullptr;
}

}  // namespace

Matrix<float> rows_of_sequences(const LoadedModel& model, model::Head head, const model::Batch& batch,
                                model::Taps<float>* taps) {
  if (window_encoder_for(model, head) != nullptr) return engine::first_states(model.engine(), batch, taps);
  return engine::head_logits(model.engine(), batch, head, {}, taps);
}

Matrix<float> logits_of_texts(const LoadedModel& model, model::Head head, const Matrix<float>& rows,
                              std::span<const size_t> sequences, WindowPooling pooling) {
  const engine::WindowEncoder* const encoder = window_encoder_for(model, head);
  return encoder == nullptr ? rows_of_records(rows, sequences, pooling) : encoder->logits(rows.view(), sequences);
}

TextLogits::TextLogits(const LoadedModel& model, model::Head head, const summand::Taps& taps, WindowPooling pooling,
                       RepeatedTexts repeated)
    : model_(model), head_(head), taps_(taps), pooling_(pooling), once_(with_taps(taps, repeated), kKeptBytes) {
  require_head(model, head);
}

Matrix<float> TextLogits::of(RecordBatch& batch) {
  return once_.rows(batch, [this](const RecordBatch& part) {
    BatchTaps taps(taps_, part);
    return logits_of_texts(model_, head_, rows_of_sequences(model_, head_, part.batch, taps.for_engine()),
                           part.sequences, pooling_);
  });
}

}  // namespace summand::api
