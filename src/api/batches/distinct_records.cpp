#include "api/batches/distinct_records.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "api/batches/result_keys.hpp"

namespace summand::api {

namespace {

struct Before {
  bool operator()(std::span<const int32_t> a, std::span<const int32_t> b) const {
    return std::ranges::lexicographical_compare(a, b);
  }
};

}  // namespace

DistinctRecords::DistinctRecords(RecordBatch& batch, RepeatedTexts repeated) : whole_(batch) {
  if (repeated == RepeatedTexts::compute_each) {
    kept_.resize(batch.size());
    std::iota(kept_.begin(), kept_.end(), size_t{0});
    places_ = kept_;
    return;
  }
  const ResultKeys keys(batch);
  std::map<std::span<const int32_t>, size_t, Before> known;  // tokens → the record that has them, of those kept
  for (size_t record = 0; record < batch.size(); ++record) {
    const size_t place = known.try_emplace(keys.of(record), kept_.size()).first->second;
    if (place == kept_.size()) kept_.push_back(record);
    places_.push_back(place);
  }
  batch.count.texts_repeated = batch.size() - kept_.size();
  if (kept_.size() < batch.size()) part_ = subset(batch, kept_);
}

}  // namespace summand::api
