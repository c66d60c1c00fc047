#include "api/record_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace summand::api {

namespace {

constexpr size_t kBatchTokens = 16384;

}  // namespace

NextRecord each_of(std::span<const text::InputRecord> records) {
  return [records, place = size_t{0}]() mutable -> std::optional<text::InputRecord> {
    if (place == records.size()) return std::nullopt;
    return records[place++];
  };
}

RecordBatches::RecordBatches(const LoadedModel& model, NextRecord next, const ReadingOptions& options)
    : model_(&model), next_(std::move(next)), options_(options) {}

void RecordBatches::read(text::InputRecord record, RecordBatch& batch) {
  const size_t limit = model_->position_limit();
  auto& texts = batch.texts;
  if (options_.windows) {
    const auto divided = model_->divide(
        record, {.max_length = options_.length.max_length.value_or(limit), .overlap = options_.windows->overlap});
    for (size_t window = 0; window < divided.windows(); ++window) {
      const auto encoding = divided.window(window);
      texts.batch.add(encoding.ids, encoding.segments);
    }
    count_.windows.add(divided.windows());
  } else {
    auto encoding = model_->encode(record, options_.length, limit);
    texts.texts_cut += encoding.cut > 0 ? 1 : 0;
    texts.batch.add(encoding.ids, encoding.segments);
    texts.encodings.push_back(std::move(encoding));
  }
  batch.sequences.push_back(texts.batch.texts());
  batch.records.push_back(std::move(record));
}

std::optional<RecordBatch> RecordBatches::next() {
  RecordBatch batch;
  batch.first = count_.texts;
  // Texts without tokens take room too: a batch of nothing else still ends.
  while (batch.texts.batch.tokens() + batch.records.size() < kBatchTokens) {
    auto record = next_();
    if (!record) break;
    read(*std::move(record), batch);
  }
  if (batch.records.empty()) return std::nullopt;
  count_.texts += batch.records.size();
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
