#pragma once

#include <cstddef>

#include "base/matrix.hpp"

namespace summand::model {

/// The directions in which a table's rows have most energy, about their mean; of each the entry of largest size is
/// positive. @param count  at most the columns
/// @return [count, columns], rows of length 1, orthogonal to each other
/// Source: cyclic Jacobi rotations, Golub & Van Loan, Matrix Computations, section 8.5
[[nodiscard]] Matrix<double> principal_directions(const Matrix<double>& table, size_t count);

}  // namespace summand::model
