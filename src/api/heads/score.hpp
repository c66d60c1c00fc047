#pragma once

#include "api/model/loaded_model.hpp"
#include "summand/heads.hpp"

namespace summand::api {

using summand::ScoredTexts;
using summand::ScoreOptions;

/// Implements Model::score.
[[nodiscard]] ScoredTexts score(const LoadedModel& model, const TextList& texts, const ScoreOptions& options);

}  // namespace summand::api
