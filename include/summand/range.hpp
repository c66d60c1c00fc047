#pragma once

#include <cstddef>

namespace summand {

/// Indices [begin, end): bytes of a text, tokens of a sequence, words, rows.
struct Range {
  size_t begin = 0;  ///< the first index
  size_t end = 0;    ///< one past the last index

  /// Number of indices.
  [[nodiscard]] size_t size() const { return end - begin; }
  /// Whether it is empty.
  [[nodiscard]] bool empty() const { return begin == end; }
  /// Equal begin and end.
  [[nodiscard]] bool operator==(const Range&) const = default;
};

}  // namespace summand
