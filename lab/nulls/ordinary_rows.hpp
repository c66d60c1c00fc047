#pragma once

#include <cstddef>

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// The rows of a table of positions but outlying_rows(); all of them where those left would be too few to be told of
/// (lacking()).
[[nodiscard]] PlacedRows ordinary_rows(const Table& table, size_t rows, size_t components);

}  // namespace summand::lab
