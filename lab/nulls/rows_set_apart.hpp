#pragma once

#include <cstddef>
#include <vector>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// The rows that a table of positions is looked at without: row 0, a constant where [CLS] alone stands there, the last,
/// and outlying_rows(). Lowest first; none of a table of less than three rows.
[[nodiscard]] std::vector<size_t> rows_set_apart(const Table& positions);

}  // namespace summand::lab
