#include "api/heads/text_logits.hpp"

#include "api/batches/batch_taps.hpp"
#include "api/heads/require_head.hpp"

namespace summand::api {

TextLogits::TextLogits(const LoadedModel& model, model::Head head, const summand::Taps& taps, WindowPooling pooling,
                       RepeatedTexts repeated)
    : model_(model), head_(head), taps_(taps), pooling_(pooling), once_(with_taps(taps, repeated), kKeptBytes) {
  require_head(model, head);
}

Matrix<float> TextLogits::of(RecordBatch& batch) {
  return once_.rows(batch, [this](const RecordBatch& part) {
    BatchTaps taps(taps_, part);
    return rows_of_records(engine::head_logits(model_.engine(), part.batch, head_, {}, taps.for_engine()),
                           part.sequences, pooling_);
  });
}

}  // namespace summand::api
