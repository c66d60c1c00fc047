#include "api/batches/result_keys.hpp"

namespace summand::api {

ResultKeys::ResultKeys(const RecordBatch& batch) {
  numbers_.reserve(2 * (batch.batch.tokens() + batch.size()));
  for (size_t record = 0; record < batch.size(); ++record) {
    const size_t first = batch.sequences[record];
    const size_t end = batch.sequences[record + 1];
    // Lengths come first: no two lists of sequences have the same key.
    numbers_.push_back(static_cast<int32_t>(end - first));
    for (size_t sequence = first; sequence < end; ++sequence) {
      numbers_.push_back(static_cast<int32_t>(batch.batch.length(sequence)));
    }
    add(batch.batch.ids, batch.batch.offsets[first], batch.batch.offsets[end]);
    add(batch.batch.segments, batch.batch.offsets[first], batch.batch.offsets[end]);
    ends_.push_back(numbers_.size());
  }
}

void ResultKeys::add(const std::vector<int32_t>& values, size_t begin, size_t end) {
  numbers_.insert(numbers_.end(), values.begin() + static_cast<std::ptrdiff_t>(begin),
                  values.begin() + static_cast<std::ptrdiff_t>(end));
}

RecordBatch subset(const RecordBatch& batch, std::span<const size_t> records) {
  RecordBatch part;
  part.first = batch.first;
  part.first_token = batch.first_token;
  const auto& whole = batch.batch;
  for (const size_t record : records) {
    part.texts.push_back(batch.texts[record]);
    for (size_t sequence = batch.sequences[record]; sequence < batch.sequences[record + 1]; ++sequence) {
      const size_t begin = whole.offsets[sequence];
      const size_t tokens = whole.length(sequence);
      part.batch.add(std::span(whole.ids).subspan(begin, tokens), std::span(whole.segments).subspan(begin, tokens));
    }
    part.sequences.push_back(part.batch.texts());
  }
  return part;
}

}  // namespace summand::api
