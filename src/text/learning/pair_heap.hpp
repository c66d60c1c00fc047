#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/learning/pieces.hpp"

namespace summand::text {

/// What decides which pair is merged next: the largest score, of equal ones the larger count, then the lower ids.
struct PairKey {
  double score = 0;
  int64_t count = 0;
  PiecePair pair;

  [[nodiscard]] bool before(const PairKey& other) const {
    if (score != other.score) return score > other.score;
    return count != other.count ? count > other.count : pair < other.pair;
  }
};

/// A heap of numbered pairs, the next one to be merged at the top, in which every pair knows its place: when a merge
/// makes a piece rarer, the scores of all its pairs grow, so that a queue with their old scores could not be trusted.
class PairHeap {
 public:
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  /// Of a heap that is not empty.
  [[nodiscard]] uint32_t top() const { return nodes_.front().number; }
  [[nodiscard]] const PairKey& top_key() const { return nodes_.front().key; }

  /// Gives a pair its key, in the place of the one it had.
  /// @param number  of a pair that is there, or the next one, from 0
  void set(uint32_t number, const PairKey& key);

 private:
  struct Node {
    PairKey key;
    uint32_t number;
  };

  [[nodiscard]] size_t best_child(size_t at) const;
  size_t move(size_t from, size_t to);

  std::vector<Node> nodes_;
  std::vector<size_t> place_;  ///< of each number in nodes_
};

}  // namespace summand::text
