#include "api/embed_queue.hpp"

#include <algorithm>
#include <utility>

namespace summand::api {

EmbedQueue::EmbedQueue(const Embedder& embedder, size_t batch_tokens, ProgressCallback on_progress)
    : embedder_(embedder),
      batch_tokens_(batch_tokens),
      on_progress_(std::move(on_progress)),
      combiner_(embedder.window_pooling()) {}

bool EmbedQueue::is_full() const {
  // Texts without tokens take room too: a batch of nothing else still ends.
  return batch_.tokens() + batch_.texts() >= batch_tokens_;
}

void EmbedQueue::add(const TextView& text) {
  const auto put = [&](const text::Encoding& encoding) {
    if (is_full()) run();
    batch_.add(encoding.ids, encoding.segments);
    ends_text_.push_back(false);
    done_.tokens += encoding.ids.size();
    done_.texts_cut += encoding.cut > 0 ? 1 : 0;
  };
  done_.windows.add(embedder_.encode(text, put));
  ends_text_.back() = true;
}

void EmbedQueue::count(size_t sequence) {
  const size_t texts = ends_text_[sequence] ? 1 : 0;
  const size_t tokens = batch_.length(sequence);
  const Progress progress{.texts = texts_finished_.fetch_add(texts) + texts,
                          .tokens = tokens_finished_.fetch_add(tokens) + tokens};
  on_progress_(progress);
}

void EmbedQueue::run() {
  Embedder::OnSequence on_sequence;
  if (on_progress_) on_sequence = [this](size_t sequence) { count(sequence); };
  const auto pooled = embedder_.pool(batch_, on_sequence);
  done_.threads = std::max(done_.threads, pooled.threads);
  for (size_t sequence = 0; sequence < batch_.texts(); ++sequence) {
    if (batch_.length(sequence) > 0) combiner_.add(pooled.rows.row(sequence));
    if (!ends_text_[sequence]) continue;
    const auto vector = embedder_.finish(combiner_.combined());
    vectors_.insert(vectors_.end(), vector.begin(), vector.end());
    combiner_ = WindowCombiner(embedder_.window_pooling());
  }
  batch_ = {};
  ends_text_.clear();
}

Embeddings EmbedQueue::take() {
  if (batch_.texts() > 0) run();
  Embeddings result = std::exchange(done_, {});
  result.vectors = Matrix<float>(vectors_.size() / embedder_.width(), embedder_.width());
  std::ranges::copy(vectors_, result.vectors.elements().begin());
  vectors_.clear();
  return result;
}

}  // namespace summand::api
