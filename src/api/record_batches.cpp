#include "api/record_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace summand::api {

namespace {

constexpr size_t kBatchTokens = 16384;

}  // namespace

RecordBatches::RecordBatches(const LoadedModel& model, NextRecord next, ReadingOptions options)
    : model_(&model), next_(std::move(next)), options_(std::move(options)) {}

RecordBatches::RecordBatches(const LoadedModel& model, const TextList& texts, ReadingOptions options)
    : model_(&model), list_(texts), options_(std::move(options)) {}

TextView RecordBatches::with_query(const TextView& text) const {
  if (!options_.query) return text;
  if (text.words || text.text_pair) {
    throw TextError("rerank", place_of(count_.texts) + "expected a passage as one text, got " +
                                  (text.words ? "words already split" : "a pair"));
  }
  return {*options_.query, text.text};
}

void RecordBatches::encode(const TextView& text, RecordBatch& batch) {
  const size_t limit = model_->position_limit();
  auto& texts = batch.texts;
  if (options_.windows) {
    const auto divided = model_->divide(
        text, {.max_length = options_.length.max_length.value_or(limit), .overlap = options_.windows->overlap});
    for (size_t window = 0; window < divided.windows(); ++window) {
      const auto encoding = divided.window(window);
      texts.batch.add(encoding.ids, encoding.segments);
    }
    count_.windows.add(divided.windows());
  } else {
    auto encoding = model_->encode(text, options_.length, limit);
    texts.texts_cut += encoding.cut > 0 ? 1 : 0;
    texts.batch.add(encoding.ids, encoding.segments);
    texts.encodings.push_back(std::move(encoding));
  }
  batch.sequences.push_back(texts.batch.texts());
  ++count_.texts;
}

std::optional<RecordBatch> RecordBatches::next() {
  RecordBatch batch;
  batch.first = count_.texts;
  const auto& tokens = batch.texts.batch;
  // Texts without tokens take room too: a batch of nothing else still ends.
  const auto full = [&] { return tokens.tokens() + count_.texts - batch.first >= kBatchTokens; };
  if (next_) {
    while (!full()) {
      auto record = next_();
      if (!record) break;
      encode(with_query(*record), batch);
      batch.records.push_back(*std::move(record));
    }
    for (const auto& record : batch.records) batch.texts_read.push_back(with_query(record));
  } else {
    while (!full() && count_.texts < list_.size()) {
      batch.texts_read.push_back(with_query(list_[count_.texts]));
      encode(batch.texts_read.back(), batch);
    }
  }
  if (batch.texts_read.empty()) return std::nullopt;
  count_.texts_cut += batch.texts.texts_cut;
  return batch;
}

Matrix<float> logits_of_records(const LoadedModel& model, model::Head head, const model::Batch& batch,
                                std::span<const size_t> sequences, WindowPooling pooling) {
  const auto rows = engine::head_logits(model.engine(), batch, head);
  Matrix<float> logits(sequences.size() - 1, rows.columns());
  for (size_t record = 0; record < logits.rows(); ++record) {
    const size_t count = sequences[record + 1] - sequences[record];
    std::ranges::copy(combine_windows(pooling, rows.view().middle_rows(sequences[record], count)),
                      logits.row(record).begin());
  }
  return logits;
}

std::string place_of(size_t index) {
  return fmt::format("text {}: ", index + 1);
}

}  // namespace summand::api
