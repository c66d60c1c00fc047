#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/statistics/circles.hpp"
#include "lab/statistics/placed_rows.hpp"

namespace summand::lab::clocks {

/// Rows of a table that are looked at by themselves.
struct Part {
  std::string name;  ///< "first_half"
  PlacedRows rows;
};

/// Both halves; and the positions below 128 and from 128 on; these two and those two only where both have
/// circle_rule::kLeastPartRows.
[[nodiscard]] std::vector<Part> parts_of(const PlacedRows& rows);

}  // namespace summand::lab::clocks
