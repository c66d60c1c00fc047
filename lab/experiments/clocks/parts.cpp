#include "lab/experiments/clocks/parts.hpp"

#include <algorithm>

#include "lab/nulls/position_parts.hpp"

namespace summand::lab::clocks {

std::vector<Part> parts_of(const PlacedRows& rows) {
  if (rows.at.empty()) return {};
  constexpr auto kShort = static_cast<size_t>(kShortSequence);
  std::vector<Part> parts{{"below_128", rows_between(rows, 0, kShort)},
                          {"from_128", rows_between(rows, kShort, rows.at.back() + 1)}};
  const bool are_long =
      std::ranges::all_of(parts, [](const Part& part) { return part.rows.at.size() >= circle_rule::kLeastPartRows; });
  if (!are_long) parts.clear();
  return parts;
}

}  // namespace summand::lab::clocks
