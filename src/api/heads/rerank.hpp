#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/batches/record_batches.hpp"
#include "api/heads/scores.hpp"
#include "summand/heads.hpp"

namespace summand::api {

using summand::RankedPassage;
using summand::Ranking;
using summand::RerankOptions;

/// Sorts passages by how well they answer a query, as sentence-transformers' CrossEncoder does. Memory holds one batch
/// and the best passages.
/// @param passages  NextRecord or TextList, as for RecordBatches
/// @throws ConfigError if the model has no sequence classification head or more or fewer labels than one, or as
/// rerank_function()
[[nodiscard]] Ranking rerank(const LoadedModel& model, const std::string& query, const NextRecord& passages,
                             const RerankOptions& options);
[[nodiscard]] Ranking rerank(const LoadedModel& model, const std::string& query, const TextList& passages,
                             const RerankOptions& options);

}  // namespace summand::api
