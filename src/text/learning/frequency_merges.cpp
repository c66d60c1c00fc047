#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/learning/merges.hpp"

namespace summand::text {

namespace {

/// A pair that may be merged, in the words that it came to since its last candidate.
struct Candidate {
  int64_t count = 0;  ///< when it came to the queue
  PiecePair pair;
  std::vector<uint32_t> words;  ///< ascending

  /// The greater one is merged first.
  [[nodiscard]] bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : other.pair < pair;
  }
};

class FrequencyMerges {
 public:
  FrequencyMerges(SegmentedWords& words, Pieces& pieces) : words_(words), pieces_(pieces) {
    for (uint32_t word = 0; word < words_.size(); ++word) {
      const auto all = words_.pieces(word);
      for (size_t i = 1; i < all.size(); ++i) change({all[i - 1], all[i]}, 1, word);
    }
    queue_new_pairs();
  }

  /// @return whether there was a pair
  bool merge_one(uint64_t min_count) {
    const auto candidate = next();
    if (static_cast<uint64_t>(candidate.count) < min_count) return false;
    const uint32_t merged = pieces_.add_merged(candidate.pair);
    for (const uint32_t word : candidate.words) {
      words_.merge(word, candidate.pair, merged, [&](PiecePair pair, int by) { change(pair, by, word); });
    }
    queue_new_pairs();
    return true;
  }

 private:
  /// The candidate with the largest count as it is by now; one with none where there is no more.
  Candidate next() {
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end());
      Candidate& top = queue_.back();
      const int64_t count = counts_[top.pair];
      if (top.count == count) {
        Candidate found = std::move(top);
        queue_.pop_back();
        return found;
      }
      top.count = count;
      std::push_heap(queue_.begin(), queue_.end());
    }
    return {};
  }

  void change(PiecePair pair, int by, uint32_t word) {
    counts_[pair] += by * words_.count(word);
    if (by < 0) return;
    auto& words = came_[pair];
    if (words.empty() || words.back() != word) words.push_back(word);
  }

  void queue_new_pairs() {
    for (auto& [pair, words] : came_) {
      const int64_t count = counts_[pair];
      if (count <= 0) continue;
      queue_.push_back({count, pair, std::move(words)});
      std::push_heap(queue_.begin(), queue_.end());
    }
    came_.clear();
  }

  SegmentedWords& words_;
  Pieces& pieces_;
  std::unordered_map<PiecePair, int64_t, PiecePair::Hash> counts_;
  std::unordered_map<PiecePair, std::vector<uint32_t>, PiecePair::Hash> came_;  ///< since the last merge, to words
  std::vector<Candidate> queue_;                                                ///< a heap
};

}  // namespace

void merge_most_frequent(SegmentedWords& words, Pieces& pieces, const MergeLimits& limits) {
  FrequencyMerges merges(words, pieces);
  const uint64_t min_count = limits.min_count.value_or(kLeastCount);
  while (pieces.size() < limits.size && merges.merge_one(min_count)) {
    if (limits.on_merge) limits.on_merge(pieces.size());
  }
}

}  // namespace summand::text
