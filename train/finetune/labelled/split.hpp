#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace summand::train {

/// Rows to train on and rows to validate on, both in the file's order.
struct Split {
  std::vector<size_t> train, held_out;
};

/// Draws a share of all rows, rounded, at least one; of each label as near that share as whole rows allow. What
/// rounding leaves goes to labels that would have none, then to those that lost most by it. A label's only row is
/// trained on.
/// @param labels  [rows]; the same for all rows without labels
/// @param share  in (0, 1)
[[nodiscard]] Split stratified_split(std::span<const int32_t> labels, double share, uint64_t seed);

}  // namespace summand::train
