#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "lab/experiments/position_strength/logit_groups.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/probing/results.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"

namespace summand::lab {

/// The attention of every layer: [layers][texts × heads] of [length, length], in the order of the visits.
using LayerAttention = std::vector<std::vector<Table>>;

[[nodiscard]] LayerAttention layer_attention(const engine::Engine& engine, const model::Batch& batch);
/// divergence() of one from the other by layer, the mean over texts and heads.
[[nodiscard]] std::vector<double> divergence_by_layer(const LayerAttention& attention, const LayerAttention& other);
/// The same from attention that is alike everywhere.
[[nodiscard]] std::vector<double> divergence_from_uniform_by_layer(const LayerAttention& attention);

/// What is added to the first layer's logits of one text and head, from their exact terms.
using LogitChange = Table (*)(const LogitTerms& terms, LogitGroup group);

/// Nothing. The group is not read.
[[nodiscard]] Table nothing_less(const LogitTerms& terms, LogitGroup group);
/// Less the group's terms.
[[nodiscard]] Table less_group(const LogitTerms& terms, LogitGroup group);
/// Less everything: the scores are 0, attention is alike everywhere. The group is not read.
[[nodiscard]] Table less_all(const LogitTerms& terms, LogitGroup group);
/// Less the mean over keys of each query's logits, of which a softmax sees nothing. The group is not read.
[[nodiscard]] Table less_constant(const LogitTerms& terms, LogitGroup group);

/// Runs texts whose first layer's scores are changed before the softmax, through taps, on one thread.
/// @return [texts, hidden], sentence vectors
[[nodiscard]] Table vectors_with_logits(const Subject& subject, const FirstLogits& logits, const model::Batch& batch,
                                        LogitChange change, LogitGroup group);

}  // namespace summand::lab
