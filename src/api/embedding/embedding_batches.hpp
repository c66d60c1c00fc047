#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

#include "api/batches/record_batches.hpp"
#include "api/batches/result_cache.hpp"
#include "api/embedding/embedder.hpp"
#include "base/progress.hpp"

namespace summand::api {

struct EmbeddingBatchesOptions {
  size_t batch_tokens = kBatchTokens;
  ProgressCallback on_progress = {};
  size_t kept_bytes = kKeptBytes;  ///< of earlier vectors, for repeated texts
};

/// Sentence vectors of any number of texts, batch by batch. Deduplicator reuses the vectors of repeated texts.
class EmbeddingBatches {
 public:
  struct Batch {
    RecordBatch read;
    Matrix<float> vectors;  ///< [records, width]
  };

  /// @param embedder  outlives this object
  /// @param texts  NextRecord or TextList, as for RecordBatches
  template <class Texts>
  EmbeddingBatches(const Embedder& embedder, const Texts& texts, EmbeddingBatchesOptions options = {})
      : embedder_(embedder),
        batches_(embedder.model(), texts, embedder.reading(options.batch_tokens)),
        once_(embedder.repeated(), options.kept_bytes),
        on_progress_(std::move(options.on_progress)) {}

  /// @throws as RecordBatches::next, and whatever the progress callback throws
  [[nodiscard]] std::optional<Batch> next();

  /// Over the batches returned so far.
  [[nodiscard]] const ReadCount& count() const { return count_; }
  /// Most threads that worked on one batch.
  [[nodiscard]] int threads() const { return threads_; }

 private:
  [[nodiscard]] Embedder::OnSequence counting(const RecordBatch& read);
  void count_repeated(const RecordBatch& read);

  const Embedder& embedder_;
  RecordBatches batches_;
  Deduplicator once_;
  ProgressCallback on_progress_;
  ReadCount count_;
  int threads_ = 0;
  std::atomic<size_t> texts_finished_ = 0;
  std::atomic<size_t> tokens_finished_ = 0;
};

}  // namespace summand::api
