#include "api/rerank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/heads.hpp"
#include "base/error.hpp"
#include "base/json_file.hpp"

namespace summand::api {

namespace {

/// The function's name in one of the places where versions of sentence-transformers wrote it, the newest first.
std::optional<std::pair<std::string, JsonObject>> activation_name(const LoadedModel& model) {
  const auto& checkpoint = model.checkpoint();
  if (const auto file = read_json_object(checkpoint.directory / "config_sentence_transformers.json")) {
    if (auto name = file->string("activation_fn")) return {{*std::move(name), *file}};
  }
  const auto config = read_json_object(checkpoint.transformer_directory / "config.json");
  if (!config) return std::nullopt;
  const auto nested = config->object_or_empty("sentence_transformers");
  if (auto name = nested.string("activation_fn")) return {{*std::move(name), nested}};
  if (auto name = config->string("sbert_ce_default_activation_function")) return {{*std::move(name), *config}};
  return std::nullopt;
}

void require_one_label(const LoadedModel& model) {
  require_head(model, model::Head::sequence_classification);
  const size_t labels = model.config().labels.size();
  if (labels != 1) throw ConfigError("rerank", fmt::format("expected a model with one label, got {} labels", labels));
}

bool stands_before_passage(const RankedPassage& one, const RankedPassage& other) {
  if (stands_before(one.score, other.score)) return true;
  return one.index < other.index && !stands_before(other.score, one.score);
}

ReadingOptions reading_of(const std::string& query, const RerankOptions& options) {
  return {.length = options.length, .windows = options.windows, .query = query};
}

Ranking rank(const LoadedModel& model, RecordBatches batches, const RerankOptions& options) {
  require_one_label(model);
  const auto function = rerank_function(model);
  const auto pooling = options.windows.value_or(WindowOptions()).pooling;
  Ranking ranking;
  auto& kept = ranking.passages;
  while (const auto batch = batches.next()) {
    const auto logits =
        logits_of_records(model, model::Head::sequence_classification, batch->texts.batch, batch->sequences, pooling);
    for (size_t i = 0; i < batch->texts_read.size(); ++i) {
      const float logit = logits(i, 0);
      kept.push_back({.index = batch->first + i,
                      .text = std::string(*batch->texts_read[i].text_pair),
                      .score = scores_of(std::span(&logit, 1), function)[0],
                      .logit = logit});
    }
    std::ranges::sort(kept, stands_before_passage);
    if (kept.size() > options.top) kept.resize(options.top);
  }
  ranking.count = batches.count();
  return ranking;
}

}  // namespace

ScoreFunction rerank_function(const LoadedModel& model) {
  const auto named = activation_name(model);
  if (!named) return ScoreFunction::sigmoid;
  const std::string_view name = named->first;
  const std::string_view own_name = name.substr(name.rfind('.') + 1);
  if (name.starts_with("torch.") && own_name == "Sigmoid") return ScoreFunction::sigmoid;
  if (name.starts_with("torch.") && own_name == "Identity") return ScoreFunction::identity;
  throw ConfigError(
      named->second.where(),
      fmt::format("activation function: expected torch's Sigmoid or Identity, got '{}'", printable(name)));
}

Ranking rerank(const LoadedModel& model, const std::string& query, const NextRecord& passages,
               const RerankOptions& options) {
  return rank(model, {model, passages, reading_of(query, options)}, options);
}

Ranking rerank(const LoadedModel& model, const std::string& query, const TextList& passages,
               const RerankOptions& options) {
  return rank(model, {model, passages, reading_of(query, options)}, options);
}

}  // namespace summand::api
