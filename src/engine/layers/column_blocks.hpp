#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/kernels/rounding.hpp"

namespace summand::engine {

/// Columns [begin, begin + count) of a product's output.
struct ColumnBlock {
  size_t begin = 0;
  size_t count = 0;
};

/// Some consecutive blocks, as [first, last).
struct Blocks {
  size_t first = 0;
  size_t last = 0;
};

/// Columns of one block: some panels, few enough to share a small product out.
inline constexpr size_t kBlockColumns = 6 * kPanelWidth;

/// The blocks that hold columns [begin, end).
[[nodiscard]] inline Blocks blocks_of(size_t begin, size_t end) {
  return {begin / kBlockColumns, divided_up(end, kBlockColumns)};
}

/// @param columns  of the whole product
[[nodiscard]] inline ColumnBlock column_block(size_t index, size_t columns) {
  const size_t begin = index * kBlockColumns;
  return {begin, std::min(kBlockColumns, columns - begin)};
}

}  // namespace summand::engine
