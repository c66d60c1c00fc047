#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace summand::train {

/// The places of the largest counts, at most so many, in their own order; of equal counts the first ones.
[[nodiscard]] std::vector<size_t> most_common(std::span<const uint64_t> counts, size_t most);

}  // namespace summand::train
