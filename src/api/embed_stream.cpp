#include "api/embed_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace summand::api {

namespace {

void add_to(Hash& hash, const text::InputRecord& record) {
  hash.add(record.id);
  hash.add(record.text);
  hash.add_number(record.text_pair ? 1 : 0);
  if (record.text_pair) hash.add(*record.text_pair);
  hash.add_number(record.words ? 1 + record.words->size() : 0);
  for (const auto& word : record.words.value_or(std::vector<std::string>())) hash.add(word);
}

/// Passes over the texts that an earlier run has finished.
/// @param hash  of them, afterwards
/// @return how many there are
size_t skip_finished(const FinishedRows& finished, const std::function<std::optional<text::InputRecord>()>& next,
                     const ProgressCallback& on_progress, Hash& hash) {
  size_t texts = 0;
  std::optional<text::InputRecord> record;
  while (texts < finished.rows && (record = next())) {
    add_to(hash, *record);
    ++texts;
    if (on_progress) on_progress({});
  }
  if (texts != finished.rows || hash.value() != finished.texts_hash) {
    const auto got = texts < finished.rows ? fmt::format("no more than {}", texts) : std::string("others");
    throw OtherTexts("resume", fmt::format("expected the {} texts that the interrupted run finished, got {}; they are "
                                           "kept, --restart discards them",
                                           finished.rows, got));
  }
  return texts;
}

/// At the end of a run that fails: whatever it fails of is to be said, not that this fails too.
void record_what_is_there(EmbeddingFile& file) {
  try {
    file.record();
  } catch (const Error&) {
    return;
  }
}

}  // namespace

EmbedStreamReport embed_stream(const Embedder& embedder, const std::function<std::optional<text::InputRecord>()>& next,
                               EmbeddingFile& file, const EmbedStreamOptions& options) {
  EmbedStreamReport report;
  Hash hash;
  if (const auto finished = file.finished()) {
    report.texts_resumed = skip_finished(*finished, next, options.on_progress, hash);
  }
  try {
    const auto next_with_place = [&] {
      auto record = next();
      if (record) file.check_id(record->id);
      return record;
    };
    EmbedBatches batches(embedder, NextRecord(next_with_place), options);
    while (const auto batch = batches.next()) {
      std::vector<std::string> ids;
      for (const auto& record : batch->read.records) {
        add_to(hash, record);
        ids.push_back(record.id);
      }
      file.append({.vectors = batch->vectors, .ids = ids, .texts_hash = hash.value()});
      report.count = batches.count();
    }
    report.threads = batches.threads();
  } catch (...) {
    record_what_is_there(file);
    throw;
  }
  report.texts = file.rows();
  return report;
}

}  // namespace summand::api
