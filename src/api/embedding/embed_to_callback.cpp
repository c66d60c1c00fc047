#include "api/embedding/embed_to_callback.hpp"

#include <utility>

#include "api/embedding/embedding_batches.hpp"
#include "base/error.hpp"

namespace summand::api {

namespace {

/// Thrown out of a batch when a stop is requested.
struct Stopped {};

NextRecord records_of(const NextText& next) {
  return [&next]() -> std::optional<text::InputRecord> {
    auto text = next();
    if (!text) return std::nullopt;
    text::InputRecord record;
    static_cast<Text&>(record) = *std::move(text);
    return record;
  };
}

}  // namespace

StreamReport embed_to_callback(const Embedder& embedder, const NextText& next, const TakeEmbeddings& take,
                               const StreamOptions& options) {
  if (options.batch_tokens == 0) throw UsageError("batch_tokens", "expected at least 1, got 0");
  const auto on_progress = [&](const Progress& done) {
    if (options.stop.stop_requested()) throw Stopped();
    if (options.on_progress) options.on_progress(done);
  };
  EmbeddingBatches batches(embedder, records_of(next),
                           {.batch_tokens = options.batch_tokens, .on_progress = on_progress});
  StreamReport report;
  try {
    while (!options.stop.stop_requested()) {
      auto batch = batches.next();
      if (!batch) return report;
      report.count = batches.count();
      report.threads = batches.threads();
      take({.vectors = std::move(batch->vectors), .count = batch->read.count, .threads = report.threads});
    }
  } catch (const Stopped&) {
  }
  report.stopped = true;
  return report;
}

}  // namespace summand::api
