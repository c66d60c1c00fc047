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
/// - `tokens` I64 [rows], for per-token heads: index among the text's tokens, special tokens included; for question
///   answering among the tokens of all its windows;
/// - `windows` I64 [windows + 1], for question answering: window i has the rows windows[i] … windows[i + 1] - 1.
/// next_sentence and sequence_classification combine the logits of a divided text's windows; question_answering keeps a
/// row for each token of each window; other heads cannot divide texts. Memory holds the ids of all texts, and the
/// logits of a few.
/// @throws ConfigError if the model has no such head
/// @throws UsageError if the head cannot divide texts
/// @throws TextError naming a text that the head cannot read
/// @throws IoError if the file cannot be written
LogitsReport write_logits(const LoadedModel& model, model::Head head, const NextRecord& next,
                          const ReadingOptions& reading, const std::filesystem::path& out);

}  // namespace summand::api
