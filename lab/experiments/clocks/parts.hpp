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

/// Positions that make no part of their own if they are fewer.
inline constexpr size_t kLeastPartRows = circle_rule::kLeastRows / 2;

/// Both halves; and the positions below 128 and from 128 on, where each are 64 or more.
[[nodiscard]] std::vector<Part> parts_of(const PlacedRows& rows);

}  // namespace summand::lab::clocks
