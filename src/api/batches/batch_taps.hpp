#pragma once

#include <cstddef>

#include "api/batches/record_batches.hpp"
#include "api/model/loaded_model.hpp"
#include "base/matrix_view.hpp"
#include "model/taps.hpp"
#include "summand/taps.hpp"

namespace summand::api {

/// The taps of a call for one of its batches: translates indices in the batch to those in the call.
class BatchTaps : public model::Taps<float> {
 public:
  /// @param taps   of the call; outlive this object, as does the batch
  /// @param batch  to run
  BatchTaps(const summand::Taps& taps, const RecordBatch& batch) : taps_(taps), batch_(batch) {}

  /// For the engine; null if the call has no taps, which then cost nothing.
  [[nodiscard]] model::Taps<float>* for_engine() { return taps_.empty() ? nullptr : this; }

  [[nodiscard]] bool wants(TapPoint point) const override;
  void visit(const model::TapSite& site, MatrixView<float> values) override;

 private:
  const summand::Taps& taps_;
  const RecordBatch& batch_;
};

/// Handling of repeated texts: a call with taps computes every text, so that the taps see it.
[[nodiscard]] inline RepeatedTexts with_taps(const summand::Taps& taps, RepeatedTexts repeated) {
  return taps.empty() ? repeated : RepeatedTexts::compute_each;
}

/// @throws UsageError if there are points without a function or a function without points, or the model does not
///   compute in fp32
void require_runnable(const LoadedModel& model, const summand::Taps& taps);

}  // namespace summand::api
