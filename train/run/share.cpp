#include "train/run/share.hpp"

#include <algorithm>

namespace summand::train {

namespace {

/// The text whose beginning is nearest to the first `rank` of `size` equal parts of the tokens.
size_t boundary(std::span<const size_t> offsets, size_t rank, size_t size) {
  if (rank == size) return offsets.size() - 1;
  const size_t tokens = offsets.back() * rank / size;
  const auto after = std::ranges::lower_bound(offsets, tokens);
  if (after == offsets.begin()) return 0;
  const bool before_is_nearer = tokens - *(after - 1) < *after - tokens;
  return static_cast<size_t>(after - offsets.begin()) - (before_is_nearer ? 1 : 0);
}

}  // namespace

ItemRange Share::of(std::span<const size_t> offsets) const {
  const auto at = static_cast<size_t>(rank), all = static_cast<size_t>(size);
  return {boundary(offsets, at, all), boundary(offsets, at + 1, all)};
}

}  // namespace summand::train
