#include "api/record_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace summand::api {

namespace {

constexpr size_t kBatchTokens = 16384;

/// Puts one record into a batch. @return its sequences
size_t read(const LoadedModel& model, text::InputRecord record, const ReadingOptions& options, RecordBatch& batch) {
  const size_t limit = model.position_limit();
  auto& texts = batch.texts;
  if (options.windows) {
    const auto divided = model.divide(
        record, {.max_length = options.length.max_length.value_or(limit), .overlap = options.windows->overlap});
    for (size_t window = 0; window < divided.windows(); ++window) {
      const auto encoding = divided.window(window);
      texts.batch.add(encoding.ids, encoding.segments);
    }
  } else {
    auto encoding = model.encode(record, options.length, limit);
    texts.texts_cut += encoding.cut > 0 ? 1 : 0;
    texts.batch.add(encoding.ids, encoding.segments);
    texts.encodings.push_back(std::move(encoding));
  }
  batch.sequences.push_back(texts.batch.texts());
  batch.records.push_back(std::move(record));
  return batch.sequences.end()[-1] - batch.sequences.end()[-2];
}

}  // namespace

RecordBatches::RecordBatches(const LoadedModel& model, NextRecord next, const ReadingOptions& options)
    : model_(&model), next_(std::move(next)), options_(options) {}

std::optional<RecordBatch> RecordBatches::next() {
  RecordBatch batch;
  batch.first = count_.texts;
  // Texts without tokens take room too: a batch of nothing else still ends.
  while (batch.texts.batch.tokens() + batch.records.size() < kBatchTokens) {
    auto record = next_();
    if (!record) break;
    const size_t sequences = read(*model_, *std::move(record), options_, batch);
    ++count_.texts;
    if (options_.windows) count_.windows.add(sequences);
  }
  if (batch.records.empty()) return std::nullopt;
  count_.texts_cut += batch.texts.texts_cut;
  return batch;
}

RecordBatch read_all(const LoadedModel& model, std::span<const text::InputRecord> records,
                     const ReadingOptions& options) {
  RecordBatch batch;
  for (const auto& record : records) read(model, record, options, batch);
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
