#include "api/embedding/embed_to_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "api/outputs/record_ids.hpp"
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

/// Skips the texts that an earlier run has finished.
/// @param hash  receives their hash
/// @return their number
size_t skip_finished(const ResumeState& finished, const std::function<std::optional<text::InputRecord>()>& next,
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
    throw TextsChanged("resume",
                       fmt::format("expected the {} texts that the interrupted run finished, got {}; they are "
                                   "kept, --restart discards them",
                                   finished.rows, got));
  }
  return texts;
}

/// Writes each batch on another thread while the next is computed: writing mostly waits for the disk. Pipes are written
/// directly, so that an interrupt need not wait for their reader.
class BackgroundWriter {
 public:
  explicit BackgroundWriter(EmbeddingFile& file) : file_(file) {}

  struct Rows {
    Matrix<float> vectors;
    std::vector<std::string> ids;
    uint64_t texts_hash = 0;
  };

  /// @throws what writing the rows before these has thrown
  void append(Rows rows) {
    wait();
    auto write = [this, some = std::move(rows)] {
      file_.append({.vectors = some.vectors, .ids = some.ids, .texts_hash = some.texts_hash});
    };
    if (file_.is_written_through()) return write();
    written_ = std::async(std::launch::async, std::move(write));
  }
  /// Until all rows are written.
  /// @throws as append()
  void wait() {
    if (written_.valid()) written_.get();
  }

 private:
  EmbeddingFile& file_;
  std::future<void> written_;  // its end waits too
};

/// At the end of a run that fails: whatever it fails of is to be said, not that this fails too.
void record_what_is_there(EmbeddingFile& file, BackgroundWriter& writing) {
  try {
    writing.wait();
    file.record();
  } catch (const Error&) {
    return;
  }
}

}  // namespace

EmbedToFileReport embed_to_file(const Embedder& embedder, const std::function<std::optional<text::InputRecord>()>& next,
                                EmbeddingFile& file, const EmbedToFileOptions& options) {
  EmbedToFileReport report;
  Hash hash;
  if (const auto finished = file.finished()) {
    report.texts_resumed = skip_finished(*finished, next, options.on_progress, hash);
  }
  BackgroundWriter writing(file);
  try {
    const auto next_with_place = [&] {
      auto record = next();
      if (record) file.check_id(record->id);
      return record;
    };
    EmbeddingBatches batches(embedder, NextRecord(next_with_place), options);
    while (auto batch = batches.next()) {
      auto ids = record_ids(batch->read.records);
      for (const auto& record : batch->read.records) add_to(hash, record);
      writing.append({.vectors = std::move(batch->vectors), .ids = std::move(ids), .texts_hash = hash.value()});
      report.count = batches.count();
    }
    writing.wait();
    report.threads = batches.threads();
  } catch (...) {
    record_what_is_there(file, writing);
    throw;
  }
  report.texts = file.rows();
  return report;
}

}  // namespace summand::api
