#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/statistics/circles.hpp"
#include "lab/statistics/placed_rows.hpp"

namespace summand::lab::clocks {

/// Rows of a table that are looked at by themselves.
struct Part {
  std::string name;  ///< "below_128"
  PlacedRows rows;
};

/// The positions below 128 and from 128 on, which BERT was trained with for unlike times; none where one of them has
/// fewer rows than circle_rule::kLeastPartRows.
[[nodiscard]] std::vector<Part> parts_of(const PlacedRows& rows);

}  // namespace summand::lab::clocks
