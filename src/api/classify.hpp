#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/record_batches.hpp"
#include "api/scores.hpp"

namespace summand::api {

/// What turns a sequence classifier's logits into scores: regression leaves them as they are, one label or several that
/// may hold at once take the logistic function, labels of which one holds the softmax.
/// Source: transformers, pipelines/text_classification.py, postprocess
[[nodiscard]] ScoreFunction score_function(const model::Config& config);

struct ClassifyOptions {
  /// Labels per text, best first. None: the best one; with multi_label_classification every label above kHoldsAbove,
  /// possibly none.
  std::optional<size_t> top = {};
  WindowPooling window_pooling = WindowPooling::mean;  ///< of the logits, where a text was divided
};

/// Score above which a label of a multi-label classifier holds.
inline constexpr double kHoldsAbove = 0.5;

struct LabelScore {
  std::string label;
  double score = 0;
  float logit = 0;
};

/// The labels of one text, best first.
/// @param logits  [labels]
[[nodiscard]] std::vector<LabelScore> labels_of(const model::Config& config, std::span<const float> logits,
                                                const ClassifyOptions& options);

/// The labels of every text, as transformers' text-classification pipeline scores them.
/// @throws ConfigError if the model has no sequence classification head
[[nodiscard]] std::vector<std::vector<LabelScore>> classify(const LoadedModel& model, const RecordBatch& batch,
                                                            const ClassifyOptions& options);

}  // namespace summand::api
