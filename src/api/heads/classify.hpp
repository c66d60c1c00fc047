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

/// The function from a sequence classifier's logits to scores: identity for regression, sigmoid for one label or a
/// multi-label model, softmax for a single-label model.
/// Source: transformers, pipelines/text_classification.py, postprocess
[[nodiscard]] ScoreFunction score_function(const model::Config& config);

using summand::ClassifyOptions;
using summand::LabelScore;

/// The labels of one text, best first.
/// @param logits  [labels]
[[nodiscard]] std::vector<LabelScore> rank_labels(const model::Config& config, std::span<const float> logits,
                                                  const ClassifyOptions& options);

/// The labels of every text, scored as by transformers' text-classification pipeline. Of the options only `top` is
/// used: the batch has been read already.
/// @param logits  of the same call as the batch
[[nodiscard]] std::vector<std::vector<LabelScore>> classify(const LoadedModel& model, TextLogits& logits,
                                                            RecordBatch& batch, const ClassifyOptions& options);

/// The logits of a call.
/// @throws ConfigError if the model has no sequence classification head
[[nodiscard]] TextLogits logits_for(const LoadedModel& model, const ClassifyOptions& options);

}  // namespace summand::api
