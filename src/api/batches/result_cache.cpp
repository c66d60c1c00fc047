#include "api/batches/result_cache.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/batches/result_keys.hpp"

namespace summand::api {

namespace {

/// Overhead of an entry: a node of the list, one of the map, and rounding of sizes.
constexpr size_t kBytesOfEntry = 176;

}  // namespace

size_t ResultCache::hash_of(std::span<const int32_t> key) const {
  const auto bytes = std::as_bytes(key);
  return hash_({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

size_t ResultCache::bytes_of(size_t key, size_t row) {
  return kBytesOfEntry + key * sizeof(int32_t) + row * sizeof(float);
}

std::optional<std::span<const float>> ResultCache::find(std::span<const int32_t> key, size_t hash) {
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto found = begin; found != end; ++found) {
    if (!std::ranges::equal(found->second->key, key)) continue;
    entries_.splice(entries_.end(), entries_, found->second);
    return found->second->row;
  }
  return std::nullopt;
}

void ResultCache::keep(std::span<const int32_t> key, size_t hash, std::span<const float> row) {
  const size_t bytes = bytes_of(key.size(), row.size());
  if (bytes > most_bytes_) return;
  while (bytes_ + bytes > most_bytes_) drop_first();
  entries_.push_back({.hash = hash,
                      .key = std::pmr::vector<int32_t>(key.begin(), key.end(), &memory_),
                      .row = std::pmr::vector<float>(row.begin(), row.end(), &memory_)});
  by_hash_.emplace(hash, std::prev(entries_.end()));
  bytes_ += bytes;
}

void ResultCache::drop_first() {
  const auto first = entries_.begin();
  const auto [begin, end] = by_hash_.equal_range(first->hash);
  by_hash_.erase(std::find_if(begin, end, [&](const auto& one) { return one.second == first; }));
  bytes_ -= bytes_of(first->key.size(), first->row.size());
  entries_.erase(first);
}

/// Where the row of each record of a batch comes from.
struct Deduplicator::Places {
  std::vector<size_t> computed;   ///< records whose tokens come for the first time
  std::vector<size_t> hashes;     ///< of their keys
  std::vector<size_t> of_record;  ///< [records]: a place in `computed`; where a row was kept, behind the last
  Matrix<float> kept;             ///< [records, width], where rows were kept; else empty
};

Deduplicator::Places Deduplicator::look_up(const RecordBatch& batch, const ResultKeys& keys) {
  Places places;
  std::unordered_multimap<size_t, size_t> here;  // hash → place in `computed`
  here.reserve(batch.size());
  for (size_t record = 0; record < batch.size(); ++record) {
    const auto key = keys.of(record);
    const size_t hash = earlier_.hash_of(key);
    if (const auto row = earlier_.find(key, hash)) {
      if (places.kept.empty()) places.kept = Matrix<float>(batch.size(), row->size());
      std::ranges::copy(*row, places.kept.row(record).begin());
      places.of_record.push_back(batch.size());
      continue;
    }
    const auto [begin, end] = here.equal_range(hash);
    const auto same = std::find_if(
        begin, end, [&](const auto& one) { return std::ranges::equal(keys.of(places.computed[one.second]), key); });
    places.of_record.push_back(same == end ? places.computed.size() : same->second);
    if (same != end) continue;
    here.emplace(hash, places.computed.size());
    places.computed.push_back(record);
    places.hashes.push_back(hash);
  }
  return places;
}

Matrix<float> Deduplicator::rows(RecordBatch& batch, const Compute& compute) {
  if (repeated_ == RepeatedTexts::compute_each) return compute(batch);
  const ResultKeys keys(batch);
  auto places = look_up(batch, keys);
  const auto& computed = places.computed;
  batch.count.texts_repeated = batch.size() - computed.size();
  Matrix<float> made;
  if (computed.size() == batch.size()) {
    made = compute(batch);
  } else if (!computed.empty()) {
    made = compute(subset(batch, computed));
  }
  for (size_t place = 0; place < computed.size(); ++place) {
    earlier_.keep(keys.of(computed[place]), places.hashes[place], made.row(place));
  }
  if (computed.size() == batch.size()) return made;
  auto rows = places.kept.empty() ? Matrix<float>(batch.size(), made.columns()) : std::move(places.kept);
  for (size_t record = 0; record < batch.size(); ++record) {
    const size_t place = places.of_record[record];
    if (place < computed.size()) std::ranges::copy(made.row(place), rows.row(record).begin());
  }
  return rows;
}

}  // namespace summand::api
