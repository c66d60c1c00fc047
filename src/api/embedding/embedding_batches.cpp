#include "api/embedding/embedding_batches.hpp"

#include <algorithm>
#include <utility>

namespace summand::api {

/// Counts a text with its last window, whichever of its windows is done last.
Embedder::OnSequence EmbeddingBatches::counting(const RecordBatch& read) {
  if (!on_progress_) return {};
  return [this, &read](size_t sequence) {
    const bool ends_text = std::ranges::binary_search(read.sequences, sequence + 1);
    const size_t texts = ends_text ? 1 : 0;
    const size_t tokens = read.batch.length(sequence);
    on_progress_(
        {.texts = texts_finished_.fetch_add(texts) + texts, .tokens = tokens_finished_.fetch_add(tokens) + tokens});
  };
}

/// Tells of the texts that were not computed: of their tokens, all together, with the first.
void EmbeddingBatches::count_repeated(const RecordBatch& read) {
  if (!on_progress_ || read.count.texts_repeated == 0) return;
  tokens_finished_ = count_.tokens + read.count.tokens;
  for (size_t text = 0; text < read.count.texts_repeated; ++text) {
    on_progress_({.texts = texts_finished_.fetch_add(1) + 1, .tokens = tokens_finished_});
  }
}

std::optional<EmbeddingBatches::Batch> EmbeddingBatches::next() {
  auto read = batches_.next();
  if (!read) return std::nullopt;
  auto vectors = once_.rows(*read, [this](const RecordBatch& part) {
    auto made = embedder_.vectors(part, counting(part));
    threads_ = std::max(threads_, made.threads);
    return std::move(made.vectors);
  });
  count_repeated(*read);
  count_.add(read->count);
  return Batch{.read = *std::move(read), .vectors = std::move(vectors)};
}

}  // namespace summand::api
