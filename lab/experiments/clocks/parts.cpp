#include "lab/experiments/clocks/parts.hpp"

#include <algorithm>
#include <utility>

#include "lab/nulls/position_parts.hpp"

namespace summand::lab::clocks {

std::vector<Part> parts_of(const PlacedRows& rows) {
  using circle_rule::kLeastPartRows;
  if (rows.at.size() < 2 * kLeastPartRows) return {};
  const size_t end = rows.at.back() + 1;
  const size_t middle = rows.at[rows.at.size() / 2];
  constexpr auto kShort = static_cast<size_t>(kShortSequence);
  std::vector<Part> parts{{"first_half", rows_between(rows, 0, middle)},
                          {"second_half", rows_between(rows, middle, end)}};
  Part below{"below_128", rows_between(rows, 0, kShort)};
  Part from{"from_128", rows_between(rows, kShort, end)};
  if (std::min(below.rows.at.size(), from.rows.at.size()) >= kLeastPartRows) {
    parts.push_back(std::move(below));
    parts.push_back(std::move(from));
  }
  return parts;
}

}  // namespace summand::lab::clocks
