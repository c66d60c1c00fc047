#pragma once

#include <cstddef>

namespace summand {

/// Places [begin, end): bytes of a text, tokens of a sequence, words, rows.
struct Range {
  size_t begin = 0;  ///< the first place
  size_t end = 0;    ///< one past the last place

  /// How many places.
  [[nodiscard]] size_t size() const { return end - begin; }
  /// Whether there is no place.
  [[nodiscard]] bool empty() const { return begin == end; }
  /// Equal in both.
  [[nodiscard]] bool operator==(const Range&) const = default;
};

}  // namespace summand
