#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace summand::text {

/// Byte strings with ids, in two sets: what a word may begin with and what may continue it. Finds the longest string
/// that starts at a place, one array step per byte.
/// Source: double-array tries, Aoe 1989.
class PieceTrie {
 public:
  enum class Set { beginning, continuing };
  using Entry = std::pair<std::string_view, int32_t>;

  static constexpr int32_t kLargestId = (1 << 27) - 2;

  PieceTrie() : PieceTrie({}, {}) {}

  /// @param beginning  strings without repetition, none empty; ids in [0, kLargestId]
  /// @param continuing  likewise
  /// @throws ConfigError if the strings do not fit 2^21 array places, twice what half a million tokens take
  PieceTrie(std::vector<Entry> beginning, std::vector<Entry> continuing);

  /// A match of `bytes` bytes; none where no string of the set starts there.
  struct Match {
    int32_t id;
    uint32_t bytes;
  };

  /// The longest string of the set that `text` starts with.
  [[nodiscard]] std::optional<Match> longest(std::string_view text, Set set) const {
    uint64_t unit = units_[set == Set::beginning ? 0 : 1];
    std::optional<Match> best;
    for (uint32_t at = 0; at < text.size();) {
      const auto byte = static_cast<unsigned char>(text[at]);
      unit = units_[base(unit) + byte];
      if (label(unit) != byte + 1U) break;
      ++at;
      if (value(unit) != kNone) best = Match{static_cast<int32_t>(value(unit)), at};
    }
    return best;
  }

  /// The id of the string itself.
  [[nodiscard]] std::optional<int32_t> find(std::string_view text, Set set) const {
    const auto match = longest(text, set);
    return match && match->bytes == text.size() ? std::optional(match->id) : std::nullopt;
  }

 private:
  class Builder;

  // One place of the array: where the children are (28 bits), the byte that leads here plus one (9 bits, 0 when
  // free) and the id that ends here (27 bits). No two nodes share a base, so the byte alone names the parent.
  static constexpr uint64_t kNone = (1U << 27) - 1;
  static uint32_t base(uint64_t unit) { return static_cast<uint32_t>(unit >> 36); }
  static uint32_t label(uint64_t unit) { return static_cast<uint32_t>(unit >> 27 & 0x1FF); }
  static uint64_t value(uint64_t unit) { return unit & kNone; }
  static constexpr uint64_t pack(uint32_t base, uint32_t label, uint64_t value) {
    return static_cast<uint64_t>(base) << 36 | static_cast<uint64_t>(label) << 27 | value;
  }

  std::vector<uint64_t> units_;  ///< the roots at 0 and 1; 256 free places at the end, so that no step leaves the array
};

}  // namespace summand::text
