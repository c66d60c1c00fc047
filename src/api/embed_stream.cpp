#include "api/embed_stream.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace summand::api {

namespace {

void add_to(Hash& hash, const text::InputRecord& record) {
  hash.add(record.text);
  hash.add_number(record.text_pair ? 1 : 0);
  if (record.text_pair) hash.add(*record.text_pair);
  hash.add_number(record.words ? 1 + record.words->size() : 0);
  for (const auto& word : record.words.value_or(std::vector<std::string>())) hash.add(word);
}

}  // namespace

EmbedStreamReport embed_stream(const Embedder& embedder, const std::function<std::optional<text::InputRecord>()>& next,
                               EmbeddingFile& file, size_t batch_tokens) {
  EmbedStreamReport report;
  Hash hash;
  if (const auto finished = file.finished()) {
    std::optional<text::InputRecord> record;
    while (report.texts_resumed < finished->rows && (record = next())) {
      add_to(hash, *record);
      ++report.texts_resumed;
    }
    if (report.texts_resumed != finished->rows || hash.value() != finished->texts_hash) {
      throw TextError("resume", "the texts are not those of the interrupted run; run again without --resume");
    }
  }
  model::Batch batch;
  const auto finish_window = [&] {
    const auto embeddings = embedder.run(batch);
    report.threads = std::max(report.threads, embeddings.threads);
    file.append(embeddings.vectors, hash.value());
    batch = {};
  };
  while (const auto record = next()) {
    add_to(hash, *record);
    const auto encoding = embedder.encode(*record);
    report.texts_cut += encoding.cut > 0 ? 1 : 0;
    report.tokens += encoding.ids.size();
    batch.add(encoding.ids, encoding.segments);
    // Texts without tokens take room too: a window of nothing else still ends.
    if (batch.tokens() + batch.texts() >= batch_tokens) finish_window();
  }
  if (batch.texts() > 0) finish_window();
  report.texts = file.rows();
  return report;
}

}  // namespace summand::api
