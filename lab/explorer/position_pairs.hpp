#pragma once

#include "lab/explorer/exploration.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Every two of the table's first positions. @pre the table has a row
[[nodiscard]] PositionPairs position_pairs(const Subject& subject);

}  // namespace summand::lab
