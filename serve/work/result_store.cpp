#include "serve/work/result_store.hpp"

namespace summand::serve {

namespace {

/// Segments as the places where they change: a text alone adds one number.
std::vector<int32_t> key_of(int32_t settings, const api::Sequence& sequence) {
  std::vector<int32_t> key;
  key.reserve(sequence.ids.size() + 4);
  key.push_back(settings);
  key.push_back(static_cast<int32_t>(sequence.ids.size()));
  key.insert(key.end(), sequence.ids.begin(), sequence.ids.end());
  int32_t last = 0;
  for (size_t at = 0; at < sequence.segments.size(); ++at) {
    if (sequence.segments[at] == last) continue;
    last = sequence.segments[at];
    key.push_back(static_cast<int32_t>(at));
    key.push_back(last);
  }
  return key;
}

}  // namespace

int32_t ResultStore::number_of(const std::string& settings) {
  const std::lock_guard lock(mutex_);
  return numbers_.try_emplace(settings, static_cast<int32_t>(numbers_.size())).first->second;
}

std::optional<std::vector<float>> ResultStore::find(int32_t settings, const api::Sequence& sequence) {
  if (most_bytes_ == 0) return std::nullopt;
  const auto key = key_of(settings, sequence);
  const std::lock_guard lock(mutex_);
  const auto found = results_.find(key, results_.hash_of(key));
  if (!found) return std::nullopt;
  return std::vector<float>(found->begin(), found->end());
}

void ResultStore::keep(int32_t settings, const api::Sequence& sequence, std::span<const float> result) {
  if (most_bytes_ == 0) return;
  const auto key = key_of(settings, sequence);
  const std::lock_guard lock(mutex_);
  const size_t hash = results_.hash_of(key);
  if (!results_.find(key, hash)) results_.keep(key, hash, result);
}

size_t ResultStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return results_.bytes();
}

}  // namespace summand::serve
