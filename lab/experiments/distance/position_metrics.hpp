#pragma once

#include <cstddef>

#include "base/random_stream.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

// The two figures by which Wang & Chen 2020 (arXiv 2010.04903) compare position tables. Both read absolute positions.

/// Which rows a fold holds out.
enum class Folds {
  random,  ///< any: their neighbours stay in training, as in the paper
  blocks,  ///< neighbouring ones
};

/// Mean absolute error, in positions, of least squares (of smallest norm) from a row to its number, rounded; 5 folds.
/// @pre 10 rows or more
[[nodiscard]] double position_error(const Table& table, Folds folds, RandomStream& stream);

/// Share of errors of "b lies behind a" by logistic regression (penalty 1) on both rows side by side, 5 folds of as
/// many random pairs as the table has rows.
/// @pre 10 rows or more
[[nodiscard]] double order_error(const Table& table, RandomStream& stream);

}  // namespace summand::lab
