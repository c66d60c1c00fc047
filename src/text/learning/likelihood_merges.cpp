#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/learning/merges.hpp"
#include "text/learning/pair_heap.hpp"

namespace summand::text {

namespace {

/// A pair that occurs or occurred in the words.
struct PairState {
  PiecePair pair;
  int64_t count = 0;
  std::vector<uint32_t> words = {};  ///< that it came to: all that have it, and some that had it
};

class LikelihoodMerges {
 public:
  LikelihoodMerges(SegmentedWords& words, Pieces& pieces) : words_(words), pieces_(pieces) {
    make_room();
    for (uint32_t word = 0; word < words_.size(); ++word) {
      const auto all = words_.pieces(word);
      for (const uint32_t piece : all) piece_counts_[piece] += words_.count(word);
      for (size_t i = 1; i < all.size(); ++i) change({all[i - 1], all[i]}, 1, word);
    }
  }

  /// The largest count of any pair.
  [[nodiscard]] uint64_t largest_count() const {
    int64_t largest = 0;
    for (const PairState& state : pairs_) largest = std::max(largest, state.count);
    return static_cast<uint64_t>(largest);
  }

  /// From now on rarer pairs are not merged.
  void set_min_count(uint64_t count) {
    min_count_ = static_cast<int64_t>(count);
    for (uint32_t number = 0; number < pairs_.size(); ++number) score(number);
  }

  /// @return whether there was a pair
  bool merge_one() {
    if (heap_.empty() || heap_.top_key().score == 0) return false;
    const uint32_t number = heap_.top();
    const PiecePair pair = pairs_[number].pair;
    const uint32_t merged = pieces_.add_merged(pair);
    make_room();
    for (const uint32_t word : std::exchange(pairs_[number].words, {})) {
      const int64_t merges =
          words_.merge(word, pair, merged, [&](PiecePair beside, int by) { change(beside, by, word); });
      const int64_t count = merges * words_.count(word);
      pairs_[number].count -= count;
      piece_counts_[pair.left] -= count;
      piece_counts_[pair.right] -= count;
      piece_counts_[merged] += count;
    }
    for (const uint32_t piece : {pair.left, pair.right, merged}) score_pairs_of(piece);
    return true;
  }

 private:
  void make_room() {
    piece_counts_.resize(pieces_.size());
    pairs_of_.resize(pieces_.size());
  }

  void change(PiecePair pair, int by, uint32_t word) {
    const auto [place, fresh] = numbers_.emplace(pair, static_cast<uint32_t>(pairs_.size()));
    const uint32_t number = place->second;
    if (fresh) {
      pairs_.push_back({.pair = pair});
      heap_.set(number, {.pair = pair});
    }
    PairState& state = pairs_[number];
    if (by > 0) {
      if (state.count == 0) {
        pairs_of_[pair.left].push_back(number);
        pairs_of_[pair.right].push_back(number);
      }
      if (state.words.empty() || state.words.back() != word) state.words.push_back(word);
    }
    state.count += by * words_.count(word);
  }

  void score_pairs_of(uint32_t piece) {
    for (const uint32_t number : pairs_of_[piece]) score(number);
    std::erase_if(pairs_of_[piece], [this](uint32_t number) { return pairs_[number].count == 0; });
  }

  void score(uint32_t number) {
    const PairState& state = pairs_[number];
    PairKey key{.pair = state.pair};
    if (state.count > 0 && state.count >= min_count_) {
      key.count = state.count;
      key.score = static_cast<double>(state.count) / (static_cast<double>(piece_counts_[state.pair.left]) *
                                                      static_cast<double>(piece_counts_[state.pair.right]));
    }
    heap_.set(number, key);
  }

  SegmentedWords& words_;
  Pieces& pieces_;
  int64_t min_count_ = 0;
  std::vector<int64_t> piece_counts_;            ///< [pieces]
  std::vector<std::vector<uint32_t>> pairs_of_;  ///< [pieces]: numbers of the pairs it is in, and of some it was in
  std::vector<PairState> pairs_;
  std::unordered_map<PiecePair, uint32_t, PiecePair::Hash> numbers_;  ///< into pairs_
  PairHeap heap_;                                                     ///< score 0: not to be merged
};

}  // namespace

void merge_most_likely(SegmentedWords& words, Pieces& pieces, const MergeLimits& limits) {
  LikelihoodMerges merges(words, pieces);
  const uint64_t least = limits.min_count.value_or(kLeastCount);
  const uint64_t first = limits.min_count ? least : std::max(merges.largest_count(), least);
  for (uint64_t count = first;; count = std::max(count / 2, least)) {
    merges.set_min_count(count);
    while (pieces.size() < limits.size && merges.merge_one()) {
      if (limits.on_merge) limits.on_merge(pieces.size());
    }
    if (pieces.size() >= limits.size || count == least) return;
  }
}

}  // namespace summand::text
