#include "api/record_logits.hpp"

#include "api/batch_taps.hpp"
#include "api/heads.hpp"

namespace summand::api {

RecordLogits::RecordLogits(const LoadedModel& model, const summand::Taps& taps, WindowPooling pooling,
                           RepeatedTexts repeated)
    : model_(model),
      taps_(taps),
      pooling_(pooling),
      once_(taps.empty() ? repeated : RepeatedTexts::compute_each, kKeptBytes) {
  require_head(model, model::Head::sequence_classification);
}

Matrix<float> RecordLogits::of(RecordBatch& batch) {
  return once_.rows(batch, [this](const RecordBatch& part) {
    BatchTaps taps(taps_, part);
    return rows_of_records(
        engine::head_logits(model_.engine(), part.batch, model::Head::sequence_classification, {}, taps.for_engine()),
        part.sequences, pooling_);
  });
}

}  // namespace summand::api
