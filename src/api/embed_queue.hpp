#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "api/embedder.hpp"
#include "api/windows.hpp"
#include "base/progress.hpp"
#include "model/batch.hpp"

namespace summand::api {

/// Tokens that the engine is given at a time: it sorts them by length and shares them out.
inline constexpr size_t kBatchTokens = 16384;

/// Texts on their way to vectors. They wait until there are enough for a run of the engine; the windows of a text that
/// is longer than that are run in several batches and combined as they come.
class EmbedQueue {
 public:
  /// @param embedder  outlives this object
  /// @param batch_tokens  more wait only while the last window added is longer
  explicit EmbedQueue(const Embedder& embedder, size_t batch_tokens = kBatchTokens, ProgressCallback on_progress = {});

  /// @throws TextError if the text cannot be taken as the options ask
  void add(const TextView& text);
  [[nodiscard]] bool is_full() const;

  /// The vectors of all texts added since the last call, in their order, and what was done for them.
  [[nodiscard]] Embeddings take();

 private:
  void run();
  void count(size_t sequence);

  const Embedder& embedder_;
  size_t batch_tokens_;
  ProgressCallback on_progress_;
  model::Batch batch_;
  std::vector<bool> ends_text_;  // [sequences of the batch], whether it is its text's last window
  WindowCombiner combiner_;      // of the one text whose windows are not all run yet
  std::vector<float> vectors_;   // [texts, width]
  Embeddings done_;              // all but the vectors
  std::atomic<size_t> texts_finished_ = 0;
  std::atomic<size_t> tokens_finished_ = 0;
};

}  // namespace summand::api
