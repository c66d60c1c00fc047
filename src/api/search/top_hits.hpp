#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "summand/search.hpp"

namespace summand::api {

/// Whether a hit ranks before another: by score, ties by index.
[[nodiscard]] inline bool is_better(const Hit& a, const Hit& b) {
  return a.score > b.score || (a.score == b.score && a.index < b.index);
}

/// The best hits of one query so far; independent of the order of add().
class TopHits {
 public:
  explicit TopHits(size_t most) : most_(most) {}

  void add(const Hit& hit) {
    if (heap_.size() == most_) {
      if (!is_better(hit, heap_.front())) return;
      std::ranges::pop_heap(heap_, is_better);
      heap_.pop_back();
    }
    heap_.push_back(hit);
    std::ranges::push_heap(heap_, is_better);
  }

  /// Hits with a lower score would be rejected.
  [[nodiscard]] double least_score() const {
    return heap_.size() < most_ ? -std::numeric_limits<double>::infinity() : heap_.front().score;
  }
  /// Unordered.
  [[nodiscard]] const std::vector<Hit>& hits() const { return heap_; }
  /// Best first.
  [[nodiscard]] std::vector<Hit> sorted() const {
    std::vector<Hit> hits = heap_;
    std::ranges::sort(hits, is_better);
    return hits;
  }

 private:
  size_t most_;
  std::vector<Hit> heap_;  // the worst at its front
};

}  // namespace summand::api
