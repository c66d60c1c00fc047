#include "api/heads/classify.hpp"

namespace summand::api {

ScoreFunction score_function(const model::Config& config) {
  switch (config.problem_type) {
    case model::ProblemType::regression:
      return ScoreFunction::identity;
    case model::ProblemType::multi_label_classification:
      return ScoreFunction::sigmoid;
    case model::ProblemType::single_label_classification:
    case model::ProblemType::unspecified:
      return config.labels.size() == 1 ? ScoreFunction::sigmoid : ScoreFunction::softmax;
  }
  __builtin_unreachable();
}

std::vector<LabelScore> rank_labels(const model::Config& config, std::span<const float> logits,
                                    const ClassifyOptions& options) {
  const bool several_hold = config.problem_type == model::ProblemType::multi_label_classification;
  const auto scores = to_scores(logits, score_function(config));
  const size_t most = options.top.value_or(several_hold ? scores.size() : 1);
  std::vector<LabelScore> labels;
  for (const size_t label : largest_indices(scores, most)) {
    if (!options.top && several_hold && !(scores[label] > kHoldsAbove)) break;
    labels.push_back({.label = config.labels[label], .score = scores[label], .logit = logits[label]});
  }
  return labels;
}

TextLogits logits_for(const LoadedModel& model, const ClassifyOptions& options) {
  return {model, model::Head::sequence_classification, options.taps, options.windows.value_or(WindowOptions()).pooling,
          options.repeated};
}

std::vector<std::vector<LabelScore>> classify(const LoadedModel& model, TextLogits& logits, RecordBatch& batch,
                                              const ClassifyOptions& options) {
  const auto rows = logits.of(batch);
  std::vector<std::vector<LabelScore>> texts;
  for (size_t text = 0; text < rows.rows(); ++text) {
    texts.push_back(rank_labels(model.config(), rows.row(text), options));
  }
  return texts;
}

}  // namespace summand::api
