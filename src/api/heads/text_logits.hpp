#pragma once

#include <cstddef>

#include "api/batches/record_batches.hpp"
#include "api/batches/result_cache.hpp"
#include "base/matrix.hpp"
#include "summand/taps.hpp"
#include "summand/windows.hpp"

namespace summand::api {

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
