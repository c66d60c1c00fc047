#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/learning/pieces.hpp"

namespace summand::text {

/// Order of merging: largest score first, ties by larger count, then by lower ids.
struct PairKey {
  double score = 0;
  int64_t count = 0;
  PiecePair pair;

  [[nodiscard]] bool before(const PairKey& other) const {
    if (score != other.score) return score > other.score;
    return count != other.count ? count > other.count : pair < other.pair;
  }
};

/// An indexed heap of pairs, the next one to merge at the top. Keys can change: a merge makes a piece rarer, and the
/// scores of all its pairs grow.
class PairHeap {
 public:
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  /// @pre the heap is not empty
  [[nodiscard]] uint32_t top() const { return nodes_.front().number; }
  [[nodiscard]] const PairKey& top_key() const { return nodes_.front().key; }

  /// Sets or replaces a pair's key.
  /// @param number  of a known pair, or the next number, from 0
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
