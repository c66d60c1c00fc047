#include "text/piece_trie.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/error.hpp"

namespace summand::text {

namespace {

constexpr uint32_t kAlphabet = 256;
/// Twice what half a million tokens take. A place costs eight bytes.
constexpr uint32_t kMostPlaces = 1U << 21;

using Entries = std::vector<PieceTrie::Entry>;

/// How many places the nodes take: one for every byte that an entry does not share with the one before it.
size_t count_nodes(const Entries& sorted) {
  size_t nodes = 0;
  std::string_view before;
  for (const auto& [text, id] : sorted) {
    nodes +=
        static_cast<size_t>(text.end() - std::mismatch(text.begin(), text.end(), before.begin(), before.end()).first);
    before = text;
  }
  return nodes;
}

void check_places(size_t places) {
  if (places <= kMostPlaces) return;
  throw ConfigError("vocabulary", fmt::format("expected a trie of at most {} places, got more", kMostPlaces));
}

}  // namespace

// Places nodes breadth first. Free places form a list, so that a node is tried only where its first child fits. Its
// links are stored in the free places themselves, where a node has its base and its id.
class PieceTrie::Builder {
 public:
  Builder(std::vector<uint64_t>& units, size_t nodes) : units_(units) {
    check_places(nodes);
    reserve(nodes + 4 * kAlphabet);
    grow(2 * kAlphabet);
    for (uint32_t place = 0; place < kFirstBase; ++place) take(place);
    units_[0] = units_[1] = pack(kLeaf, 0, kNone);
  }

  void add(uint32_t root, const Entries& entries) {
    if (entries.empty()) return;
    std::deque<Node> waiting{{0, static_cast<uint32_t>(entries.size()), root, 0}};
    while (!waiting.empty()) {
      const Node node = waiting.front();
      waiting.pop_front();
      place_children(entries, node, waiting);
    }
  }

  void finish() {
    for (uint32_t place = last_free_; place != kEnd;) {
      const uint32_t left = before(place);
      units_[place] = kFree;
      place = left;
    }
    units_.resize(units_.size() + kAlphabet, kFree);
  }

 private:
  static constexpr uint32_t kLeaf = 2;  // the base of nodes without children: no child is below kFirstBase
  static constexpr uint32_t kFirstBase = 2 + kAlphabet;
  static constexpr int kManyTries = 16;
  static constexpr uint32_t kEnd = (1U << 27) - 1;
  static constexpr uint64_t kFree = pack(kLeaf, 0, kNone);  // content of free places in a finished trie

  struct Node {
    uint32_t first;  // of its entries, which all share their first `depth` bytes
    uint32_t end;
    uint32_t place;
    uint32_t depth;
  };

  void place_children(const Entries& entries, Node node, std::deque<Node>& waiting) {
    if (entries[node.first].first.size() == node.depth) {
      units_[node.place] = (units_[node.place] & ~kNone) | static_cast<uint64_t>(entries[node.first].second);
      ++node.first;
    }
    if (node.first == node.end) return;
    children_.clear();
    labels_.clear();
    for (uint32_t at = node.first; at < node.end;) {
      const auto byte = static_cast<unsigned char>(entries[at].first[node.depth]);
      const uint32_t first = at;
      while (at < node.end && static_cast<unsigned char>(entries[at].first[node.depth]) == byte) ++at;
      children_.push_back({first, at, byte, node.depth + 1});
      labels_.push_back(byte);
    }
    const uint32_t base = find_base();
    base_used_[base] = true;
    units_[node.place] = pack(base, label(units_[node.place]), value(units_[node.place]));
    for (Node& child : children_) {
      const uint32_t byte = child.place;
      child.place = base + byte;
      take(child.place);
      units_[child.place] = pack(kLeaf, byte + 1, kNone);
      waiting.push_back(child);
    }
  }

  // A node with one child fills holes from the front, where one with several no longer looks: each kind starts where
  // its last search became long, so that holes that did not fit are not tried repeatedly.
  uint32_t find_base() {
    uint32_t& from = labels_.size() == 1 ? single_from_ : several_from_;
    int tries = 0;
    for (uint32_t place = from; place != kEnd; place = after(place), ++tries) {
      if (place - labels_.front() < kFirstBase || !fits(place - labels_.front())) continue;
      if (tries > kManyTries) from = place;
      return place - labels_.front();
    }
    const auto base = static_cast<uint32_t>(units_.size());
    grow(base + kAlphabet);
    if (tries > kManyTries) from = base;
    return base;
  }

  bool fits(uint32_t base) {
    if (base_used_[base]) return false;
    if (base + kAlphabet > units_.size()) grow(base + kAlphabet);
    return std::all_of(labels_.begin(), labels_.end(), [&](uint32_t byte) { return free_[base + byte]; });
  }

  [[nodiscard]] uint32_t before(uint32_t place) const { return static_cast<uint32_t>(value(units_[place])); }
  [[nodiscard]] uint32_t after(uint32_t place) const { return PieceTrie::base(units_[place]); }
  void link(uint32_t place, uint32_t before, uint32_t after) { units_[place] = pack(after, 0, before); }

  void take(uint32_t place) {
    free_[place] = false;
    const uint32_t left = before(place);
    const uint32_t right = after(place);
    if (place == single_from_) single_from_ = right;
    if (place == several_from_) several_from_ = right;
    if (left != kEnd) link(left, before(left), right);
    if (right != kEnd) link(right, left, after(right));
    if (right == kEnd) last_free_ = left;
  }

  void grow(uint32_t size) {
    check_places(size);
    const auto old = static_cast<uint32_t>(units_.size());
    if (size > units_.capacity()) reserve(size);
    units_.resize(size, kFree);
    free_.resize(size, true);
    base_used_.resize(size, false);
    for (uint32_t place = old; place < size; ++place) {
      link(place, last_free_, kEnd);
      if (last_free_ != kEnd) link(last_free_, before(last_free_), place);
      if (single_from_ == kEnd) single_from_ = place;
      if (several_from_ == kEnd) several_from_ = place;
      last_free_ = place;
    }
  }

  void reserve(size_t places) { units_.reserve(std::min<size_t>(places + places / 8, kMostPlaces + kAlphabet)); }

  std::vector<uint64_t>& units_;
  std::vector<bool> free_;
  std::vector<bool> base_used_;
  std::vector<Node> children_;
  std::vector<uint32_t> labels_;
  uint32_t last_free_ = kEnd;
  uint32_t single_from_ = kEnd;
  uint32_t several_from_ = kEnd;
};

PieceTrie::PieceTrie(std::vector<Entry> beginning, std::vector<Entry> continuing) {
  for (Entries* const entries : {&beginning, &continuing}) {
    if (!std::ranges::is_sorted(*entries)) std::ranges::sort(*entries);
  }
  Builder builder(units_, count_nodes(beginning) + count_nodes(continuing));
  builder.add(0, beginning);
  builder.add(1, continuing);
  builder.finish();
}

}  // namespace summand::text
