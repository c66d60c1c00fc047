#pragma once

#include <cstddef>
#include <limits>

#include "lab/statistics/table.hpp"

namespace summand::lab {

constexpr size_t kAll = std::numeric_limits<size_t>::max();

/// table = left · diag(values) · right, largest value first. Directions whose value is under a millionth of the largest
/// are left out: the smaller Gram matrix, from which all is computed, does not hold them.
struct SingularVectors {
  Vector values;  ///< [rank]
  Table left;     ///< [rows, rank], orthonormal columns
  Table right;    ///< [rank, columns], orthonormal rows; of each row the entry of largest size is positive
};

/// @param at_most  how many directions are wanted
/// @throws UsageError if the table is empty, zero or not finite
[[nodiscard]] SingularVectors singular_vectors(const Table& table, size_t at_most = kAll);

/// The squares of all singular values, largest first: min(rows, columns) of them, none below 0. Cheaper than the
/// vectors.
[[nodiscard]] Vector squared_singular_values(const Table& table);

/// An orthonormal basis of the span of the rows, in their order: row i of the result lies in the span of rows 0 … i.
/// @pre the rows are linearly independent
[[nodiscard]] Table orthonormal_rows(const Table& rows);

}  // namespace summand::lab
