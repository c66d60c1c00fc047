#pragma once

#include <cstddef>
#include <filesystem>

#include "api/batches/record_batches.hpp"
#include "model/heads.hpp"

namespace summand::api {

struct LogitsReport {
  ReadCount count;
  size_t rows = 0;
  size_t columns = 0;
};

/// Runs a head and writes its logits to a safetensors file, which appears whole or not at all:
/// - `logits` F32: masked_language [masks, vocabulary], next_sentence [texts, 2], sequence_classification [texts,
///   labels], token_classification [tokens, labels], question_answering [tokens of all windows, 2];
/// - `offsets` I64 [texts + 1]: text i has the rows offsets[i] … offsets[i + 1] - 1 of `logits`;
/// - `tokens` I64 [rows], with the heads that look at tokens: a row's place among its text's tokens, specials
///   counted; of question answering, among those of its windows one after the other;
/// - `windows` I64 [windows + 1], of question answering: window i has the rows windows[i] … windows[i + 1] - 1.
/// Where texts are divided, the logits of a text's windows are combined; only next_sentence and sequence_classification
/// can do that; question_answering has a row for each token of each window. Memory holds the ids of all texts, and the
/// logits of a few.
/// @throws ConfigError if the model has no such head; UsageError if the head cannot divide texts; TextError naming a
/// text that the head cannot read; IoError if the
///   file cannot be written
LogitsReport write_logits(const LoadedModel& model, model::Head head, const NextRecord& next,
                          const ReadingOptions& reading, const std::filesystem::path& out);

}  // namespace summand::api
