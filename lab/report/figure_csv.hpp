#pragma once

#include <string>

#include "lab/core/figure.hpp"

namespace summand::lab {

/// The figure's data as CSV (RFC 4180), numbers in full and those that are missing empty. Of a matrix a line for each
/// row, headed by the columns.
[[nodiscard]] std::string csv_of(const Figure& figure);

}  // namespace summand::lab
