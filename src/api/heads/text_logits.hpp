#pragma once

#include <cstddef>
#include <span>

#include "api/batches/record_batches.hpp"
#include "api/batches/result_cache.hpp"
#include "base/matrix.hpp"
#include "summand/taps.hpp"
#include "summand/windows.hpp"

namespace summand::api {

/// What each sequence contributes to its text: its logits, or, to a model's transformer over windows, its vector.
/// @param head  next_sentence or sequence_classification
/// @return [sequences, width]
[[nodiscard]] Matrix<float> rows_of_sequences(const LoadedModel& model, model::Head head, const model::Batch& batch,
                                              model::Taps<float>* taps = nullptr);

/// The logits of texts.
/// @param rows  rows_of_sequences()
/// @param sequences  [texts + 1]: text t has the sequences sequences[t] … sequences[t + 1] - 1
/// @param pooling  of windows, unless the model's transformer reads them
/// @return [texts, labels]
[[nodiscard]] Matrix<float> logits_of_texts(const LoadedModel& model, model::Head head, const Matrix<float>& rows,
                                            std::span<const size_t> sequences, WindowPooling pooling);

/// The logits of a call's texts, batch by batch, for heads with one row per text. Deduplicator reuses those of repeated
/// texts. Keeps references to the model and the taps.
class TextLogits {
 public:
  /// @param head  next_sentence or sequence_classification
  /// @param repeated  calls with taps compute every text
  /// @throws ConfigError if the model has no such head
  TextLogits(const LoadedModel& model, model::Head head, const summand::Taps& taps, WindowPooling pooling,
             RepeatedTexts repeated);

  /// Counts the repeated texts in the batch.
  /// @return [records, labels]; a text's windows are combined
  [[nodiscard]] Matrix<float> of(RecordBatch& batch);

 private:
  const LoadedModel& model_;
  model::Head head_;
  const summand::Taps& taps_;
  WindowPooling pooling_;
  Deduplicator once_;
};

}  // namespace summand::api
