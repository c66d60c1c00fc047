#include "api/heads/rerank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/heads/require_head.hpp"
#include "api/heads/text_logits.hpp"
#include "base/error.hpp"

namespace summand::api {

namespace {

void require_one_label(const LoadedModel& model) {
  require_head(model, model::Head::sequence_classification);
  const size_t labels = model.config().labels.size();
  if (labels != 1) throw ConfigError("rerank", fmt::format("expected a model with one label, got {} labels", labels));
}

bool stands_before_passage(const RankedPassage& one, const RankedPassage& other) {
  if (ranks_before(one.score, other.score)) return true;
  return one.index < other.index && !ranks_before(other.score, one.score);
}

ReadingOptions reading_of(const std::string& query, const RerankOptions& options) {
  return {.length = options.length, .windows = options.windows, .query = query};
}

Ranking rank(const LoadedModel& model, RecordBatches batches, const RerankOptions& options) {
  require_one_label(model);
  const auto function = rerank_function(model.rerank_activation());
  TextLogits record_logits(model, model::Head::sequence_classification, options.taps,
                           options.windows.value_or(WindowOptions()).pooling, options.repeated);
  Ranking ranking;
  auto& kept = ranking.passages;
  while (auto batch = batches.next()) {
    const auto logits = record_logits.of(*batch);
    ranking.count.add(batch->count);
    for (size_t i = 0; i < batch->texts.size(); ++i) {
      const float logit = logits(i, 0);
      kept.push_back({.index = batch->first + i,
                      .text = std::string(*batch->texts[i].text_pair),
                      .score = model::activated(function, logit),
                      .logit = logit});
    }
    std::ranges::sort(kept, stands_before_passage);
    if (kept.size() > options.top) kept.resize(options.top);
  }
  return ranking;
}

}  // namespace

Ranking rerank(const LoadedModel& model, const std::string& query, const NextRecord& passages,
               const RerankOptions& options) {
  return rank(model, {model, passages, reading_of(query, options)}, options);
}

Ranking rerank(const LoadedModel& model, const std::string& query, const TextList& passages,
               const RerankOptions& options) {
  return rank(model, {model, passages, reading_of(query, options)}, options);
}

}  // namespace summand::api
