#include "api/batches/record_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "text/encode_text.hpp"

namespace summand::api {

RecordBatches::RecordBatches(const LoadedModel& model, NextRecord next, ReadingOptions options)
    : model_(&model), next_(std::move(next)), options_(std::move(options)) {}

RecordBatches::RecordBatches(const LoadedModel& model, const TextList& texts, ReadingOptions options)
    : model_(&model), list_(texts), options_(std::move(options)) {}

TextView RecordBatches::with_query(const TextView& text, size_t index) const {
  if (!options_.query) return text;
  if (text.words || text.text_pair) {
    throw TextError("rerank", error_prefix(index) + "expected a passage as one text, got " +
                                  (text.words ? "words already split" : "a pair"));
  }
  return {*options_.query, text.text};
}

void RecordBatches::add(const text::Encoding& encoding, RecordBatch& batch) const {
  batch.batch.add(encoding.ids, encoding.segments);
  add_to(batch.count, encoding, model_->tokenizer());
}

size_t RecordBatches::encode_divided(const TextView& text, size_t limit, RecordBatch& batch) const {
  const auto divided = model_->divide(text, {.max_length = options_.length.max_length.value_or(limit),
                                             .overlap = options_.windows->overlap,
                                             .repeated_bytes = options_.prompt.size(),
                                             .ends = options_.window_ends,
                                             .most_windows = model_->most_windows(options_.windows->pooling)});
  const bool places =
      options_.encodings == KeepEncodings::of_divided_too || options_.encodings == KeepEncodings::of_windows;
  for (size_t window = 0; window < divided.windows(); ++window) {
    auto encoding = divided.window(window);
    model_->check_ids(encoding);
    add(encoding, batch);
    if (places) batch.places.push_back({.tokens = divided.range(window), .leading = divided.leading()});
    if (options_.encodings == KeepEncodings::of_windows) batch.encodings.push_back(std::move(encoding));
  }
  if (options_.encodings == KeepEncodings::of_divided_too) batch.encodings.push_back(divided.whole());
  if (divided.cut() > 0) ++batch.count.texts_cut;
  return divided.windows();
}

void RecordBatches::encode(const TextView& text, RecordBatch& batch) {
  TextView whole = text;
  if (!options_.prompt.empty()) {
    if (text.words) throw UsageError("prompt", "a prompt cannot be put before words that are already split");
    prompted_.assign(options_.prompt).append(text.text);
    whole.text = prompted_;
  }
  const size_t limit = options_.limit.value_or(model_->position_limit());
  size_t windows = 1;
  if (options_.windows) {
    windows = encode_divided(whole, limit, batch);
  } else {
    model_->encode_into(whole, model_->encode_options(options_.length, limit), workspace_, encoding_);
    add(encoding_, batch);
    if (options_.encodings != KeepEncodings::no) batch.encodings.push_back(std::exchange(encoding_, {}));
  }
  batch.count.windows.add(windows);
  batch.sequences.push_back(batch.batch.texts());
  ++batch.count.texts;
}

void RecordBatches::encode_at(size_t index, const TextView& text, RecordBatch& batch) {
  try {
    encode(text, batch);
  } catch (const TextError& error) {
    throw TextError(error.where(), error_prefix(index) + std::string(error.message()));
  }
}

std::optional<RecordBatch> RecordBatches::next() {
  RecordBatch batch;
  batch.first = texts_;
  batch.first_token = tokens_;
  // Texts without tokens take room too: a batch of nothing else still ends.
  const auto full = [&] { return batch.batch.tokens() + batch.count.texts >= options_.batch_tokens; };
  const auto next_index = [&] { return batch.first + batch.count.texts; };
  if (next_) {
    while (!full()) {
      auto record = next_();
      if (!record) break;
      encode_at(next_index(), with_query(*record, next_index()), batch);
      batch.records.push_back(*std::move(record));
    }
    // Now that the records stay where they are.
    for (const auto& record : batch.records) batch.texts.push_back(with_query(record, batch.first));
  } else {
    while (!full() && next_index() < list_.size()) {
      batch.texts.push_back(with_query(list_[next_index()], next_index()));
      encode_at(next_index(), batch.texts.back(), batch);
    }
  }
  if (batch.texts.empty()) return std::nullopt;
  texts_ += batch.count.texts;
  tokens_ += batch.count.tokens;
  return batch;
}

RecordBatch read_all(const LoadedModel& model, const TextList& texts, const LengthOptions& length) {
  RecordBatches batches(model, texts, {.length = length, .batch_tokens = std::numeric_limits<size_t>::max()});
  return batches.next().value_or(RecordBatch());
}

Matrix<float> rows_of_records(const Matrix<float>& rows, std::span<const size_t> sequences, WindowPooling pooling) {
  Matrix<float> combined(sequences.size() - 1, rows.columns());
  for (size_t record = 0; record < combined.rows(); ++record) {
    const size_t count = sequences[record + 1] - sequences[record];
    std::ranges::copy(combine_windows(pooling, rows.view().middle_rows(sequences[record], count)),
                      combined.row(record).begin());
  }
  return combined;
}

std::string error_prefix(size_t index) {
  return fmt::format("text {}: ", index + 1);
}

}  // namespace summand::api
