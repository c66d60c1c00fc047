#include "api/heads/score.hpp"

#include <algorithm>

#include "api/batches/record_batches.hpp"
#include "api/heads/require_head.hpp"
#include "api/heads/text_logits.hpp"

namespace summand::api {

ScoredTexts score(const LoadedModel& model, const TextList& texts, const ScoreOptions& options) {
  require_head(model, model::Head::sequence_classification);
  const size_t labels = model.config().labels.size();
  const auto function = labels == 1 ? rerank_function(model.rerank_activation()) : model::TorchActivation::identity;
  TextLogits logits(model, model::Head::sequence_classification, options.taps,
                    options.windows.value_or(WindowOptions()).pooling, options.repeated);
  RecordBatches batches(model, texts, {.length = options.length, .windows = options.windows});
  ScoredTexts scored{.scores = Matrix<double>(texts.size(), labels), .logits = Matrix<float>(texts.size(), labels)};
  while (auto batch = batches.next()) {
    const auto rows = logits.of(*batch);
    std::ranges::copy(rows.elements(), scored.logits.row(batch->first).begin());
    scored.count.add(batch->count);
  }
  std::ranges::transform(scored.logits.elements(), scored.scores.elements().begin(),
                         [&](float logit) { return model::activated(function, logit); });
  return scored;
}

}  // namespace summand::api
