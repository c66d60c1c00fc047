#include "text/piece_trie.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"

namespace summand::text {

// Places nodes breadth first. Free places form a list, so that a node is tried only where its first child fits.
class PieceTrie::Builder {
 public:
  explicit Builder(std::vector<uint64_t>& units) : units_(units) {
    grow(2 * kAlphabet);
    for (uint32_t place = 0; place < kFirstBase; ++place) take(place);
    units_[0] = units_[1] = pack(kLeaf, 0, kNone);
  }

  void add(uint32_t root, std::span<const Entry> entries) {
    if (entries.empty()) return;
    std::vector<Node> level{{entries, root, 0}};
    while (!level.empty()) {
      std::vector<Node> next;
      for (const Node& node : level) place_children(node, next);
      level = std::move(next);
    }
  }

  void finish() { units_.resize(units_.size() + kAlphabet, pack(kLeaf, 0, kNone)); }

 private:
  static constexpr uint32_t kAlphabet = 256;
  static constexpr uint32_t kLeaf = 2;  // the base of nodes without children: no child lies below kFirstBase
  static constexpr uint32_t kFirstBase = 2 + kAlphabet;
  static constexpr uint32_t kMostPlaces = 1U << 28;
  static constexpr int kManyTries = 16;
  static constexpr uint32_t kEnd = ~0U;

  struct Node {
    std::span<const Entry> entries;  // sorted; all share their first `depth` bytes
    uint32_t place;
    uint32_t depth;
  };

  void place_children(const Node& node, std::vector<Node>& next) {
    std::span<const Entry> rest = node.entries;
    if (rest.front().first.size() == node.depth) {
      units_[node.place] = (units_[node.place] & ~kNone) | static_cast<uint64_t>(rest.front().second);
      rest = rest.subspan(1);
    }
    if (rest.empty()) return;
    std::vector<Node> children;
    labels_.clear();
    while (!rest.empty()) {
      const auto byte = static_cast<unsigned char>(rest.front().first[node.depth]);
      size_t count = 1;
      while (count < rest.size() && static_cast<unsigned char>(rest[count].first[node.depth]) == byte) ++count;
      children.push_back({rest.first(count), byte, node.depth + 1});
      labels_.push_back(byte);
      rest = rest.subspan(count);
    }
    const uint32_t base = find_base();
    base_used_[base] = true;
    units_[node.place] = pack(base, label(units_[node.place]), value(units_[node.place]));
    for (Node& child : children) {
      const uint32_t byte = child.place;
      child.place = base + byte;
      take(child.place);
      units_[child.place] = pack(kLeaf, byte + 1, kNone);
      next.push_back(child);
    }
  }

  // A node with one child fills holes from the front. One with several starts where the last search became long, since
  // the holes before it are too small.
  uint32_t find_base() {
    const bool single = labels_.size() == 1;
    int tries = 0;
    for (uint32_t place = single ? first_free_ : search_from_; place != kEnd; place = next_free_[place], ++tries) {
      if (place - labels_.front() < kFirstBase || !fits(place - labels_.front())) continue;
      if (!single && tries > kManyTries) search_from_ = place;
      return place - labels_.front();
    }
    const auto base = static_cast<uint32_t>(units_.size());
    grow(base + kAlphabet);
    return base;
  }

  bool fits(uint32_t base) {
    if (base_used_[base]) return false;
    if (base + kAlphabet > units_.size()) grow(base + kAlphabet);
    return std::all_of(labels_.begin(), labels_.end(), [&](uint32_t byte) { return free_[base + byte]; });
  }

  void take(uint32_t place) {
    free_[place] = false;
    const uint32_t before = previous_free_[place];
    const uint32_t after = next_free_[place];
    if (place == search_from_) search_from_ = after;
    (before == kEnd ? first_free_ : next_free_[before]) = after;
    (after == kEnd ? last_free_ : previous_free_[after]) = before;
  }

  void grow(uint32_t size) {
    if (size > kMostPlaces) throw ConfigError("vocabulary", "expected at most 2^28 trie places, got more");
    const auto old = static_cast<uint32_t>(units_.size());
    units_.resize(size, pack(kLeaf, 0, kNone));
    free_.resize(size, true);
    base_used_.resize(size, false);
    next_free_.resize(size, kEnd);
    previous_free_.resize(size, kEnd);
    for (uint32_t place = old; place < size; ++place) {
      previous_free_[place] = last_free_;
      (last_free_ == kEnd ? first_free_ : next_free_[last_free_]) = place;
      if (search_from_ == kEnd) search_from_ = place;
      last_free_ = place;
    }
  }

  std::vector<uint64_t>& units_;
  std::vector<bool> free_;
  std::vector<bool> base_used_;
  std::vector<uint32_t> next_free_;
  std::vector<uint32_t> previous_free_;
  std::vector<uint32_t> labels_;
  uint32_t first_free_ = kEnd;
  uint32_t last_free_ = kEnd;
  uint32_t search_from_ = kEnd;
};

PieceTrie::PieceTrie(std::vector<Entry> beginning, std::vector<Entry> continuing) {
  std::sort(beginning.begin(), beginning.end());
  std::sort(continuing.begin(), continuing.end());
  Builder builder(units_);
  builder.add(0, beginning);
  builder.add(1, continuing);
  builder.finish();
}

}  // namespace summand::text
