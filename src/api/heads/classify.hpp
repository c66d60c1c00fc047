#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/batches/record_batches.hpp"
#include "api/heads/scores.hpp"
#include "api/heads/text_logits.hpp"
#include "summand/heads.hpp"

namespace summand::api {

/// What turns a sequence classifier's logits into scores: regression leaves them as they are, one label or several that
/// may hold at once take the logistic function, labels of which one holds the softmax.
/// Source: transformers, pipelines/text_classification.py, postprocess
[[nodiscard]] ScoreFunction score_function(const model::Config& config);

using summand::ClassifyOptions;
using summand::LabelScore;

/// The labels of one text, best first.
/// @param logits  [labels]
[[nodiscard]] std::vector<LabelScore> rank_labels(const model::Config& config, std::span<const float> logits,
                                                  const ClassifyOptions& options);

/// The labels of every text, as transformers' text-classification pipeline scores them. The batch has been read:
/// of the options only `top` counts here.
/// @param logits  of the call that the batch is of
[[nodiscard]] std::vector<std::vector<LabelScore>> classify(const LoadedModel& model, TextLogits& logits,
                                                            RecordBatch& batch, const ClassifyOptions& options);

/// The logits of a call.
/// @throws ConfigError if the model has no sequence classification head
[[nodiscard]] TextLogits logits_for(const LoadedModel& model, const ClassifyOptions& options);

}  // namespace summand::api
