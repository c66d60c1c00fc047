#pragma once

#include <cstddef>
#include <span>

namespace summand::train {

/// Items [begin, end).
struct ItemRange {
  size_t begin = 0, end = 0;
};

/// The part of each batch that one of several processes computes.
struct Share {
  int rank = 0;
  int size = 1;  ///< processes

  /// Its texts: neighbours, about as many tokens as every other process has. Several long texts may leave it none.
  /// @param offsets  [texts + 1], of the texts' tokens
  [[nodiscard]] ItemRange of(std::span<const size_t> offsets) const;
};

}  // namespace summand::train
