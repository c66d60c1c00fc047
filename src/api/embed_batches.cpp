#include "api/embed_batches.hpp"

#include <algorithm>
#include <utility>

namespace summand::api {

/// Counts a text with its last window, whichever of its windows is done last.
Embedder::OnSequence EmbedBatches::counting(const RecordBatch& read) {
  if (!on_progress_) return {};
  return [this, &read](size_t sequence) {
    const bool ends_text = std::ranges::binary_search(read.sequences, sequence + 1);
    const size_t texts = ends_text ? 1 : 0;
    const size_t tokens = read.batch.length(sequence);
    on_progress_(
        {.texts = texts_finished_.fetch_add(texts) + texts, .tokens = tokens_finished_.fetch_add(tokens) + tokens});
  };
}

std::optional<EmbedBatches::Batch> EmbedBatches::next() {
  auto read = batches_.next();
  if (!read) return std::nullopt;
  auto made = embedder_.vectors(*read, counting(*read));
  count_.add(read->count);
  threads_ = std::max(threads_, made.threads);
  return Batch{.read = *std::move(read), .vectors = std::move(made.vectors)};
}

}  // namespace summand::api
