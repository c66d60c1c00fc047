#include "text/learning/pair_heap.hpp"

namespace summand::text {

void PairHeap::set(uint32_t number, const PairKey& key) {
  if (number == place_.size()) {
    place_.push_back(nodes_.size());
    nodes_.push_back({key, number});
  }
  size_t at = place_[number];
  while (at > 0 && key.before(nodes_[(at - 1) / 2].key)) at = move((at - 1) / 2, at);
  for (size_t child = best_child(at); child < nodes_.size() && nodes_[child].key.before(key); child = best_child(at)) {
    at = move(child, at);
  }
  nodes_[at] = {key, number};
  place_[number] = at;
}

/// The child to be merged first; a place behind the last where there is none.
size_t PairHeap::best_child(size_t at) const {
  const size_t child = 2 * at + 1;
  return child + 1 < nodes_.size() && nodes_[child + 1].key.before(nodes_[child].key) ? child + 1 : child;
}

/// @return the place that is free now
size_t PairHeap::move(size_t from, size_t to) {
  nodes_[to] = nodes_[from];
  place_[nodes_[to].number] = to;
  return from;
}

}  // namespace summand::text
