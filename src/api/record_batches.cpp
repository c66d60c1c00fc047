#include "api/record_batches.hpp"

#include <fmt/format.h>

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

RecordBatches::RecordBatches(const LoadedModel& model, NextRecord next, LengthOptions length)
    : model_(&model), next_(std::move(next)), length_(length) {}

size_t RecordBatches::limit() const {
  return length_.max_length.value_or(model_->position_limit());
}

std::optional<RecordBatch> RecordBatches::next() {
  RecordBatch batch{.first = texts_, .records = {}, .texts = {}};
  auto& texts = batch.texts;
  // Texts without tokens take room too: a batch of nothing else still ends.
  while (texts.batch.tokens() + texts.batch.texts() < kBatchTokens) {
    auto record = next_();
    if (!record) break;
    auto encoding = model_->encode(*record, length_, model_->position_limit());
    texts.texts_cut += encoding.cut > 0 ? 1 : 0;
    texts.batch.add(encoding.ids, encoding.segments);
    texts.encodings.push_back(std::move(encoding));
    batch.records.push_back(*std::move(record));
  }
  if (batch.records.empty()) return std::nullopt;
  texts_ += batch.records.size();
  texts_cut_ += texts.texts_cut;
  return batch;
}

std::string place_of(const text::InputRecord& record) {
  return fmt::format("text {}: ", record.line);
}

}  // namespace summand::api
