#pragma once

#include <span>

#include "lab/statistics/pairs.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// b − a from the two rows, linearly: p_a · of_first + p_b · of_second + offset. It is two regressions of the absolute
/// position, added: nothing in it is relative.
struct PairModel {
  Vector of_first;   ///< [columns]
  Vector of_second;  ///< [columns]
  double offset = 0;

  /// @return [pairs]
  [[nodiscard]] Vector predict(const Table& table, std::span<const Pair> pairs) const;
};

/// Least squares, or ridge, on pair_features, without making them: the normal equations are products of the table with
/// counts of pairs, so that 261,121 pairs cost what 20,000 cost.
///
/// Where columns outnumber positions it fits any table without error, random numbers too, and predicts every new pair
/// of positions that it has seen.
/// @param penalty  of Σ (error)² + penalty · Σ weights², the offset not among them; 0: least squares, of smallest norm,
/// directions below 1e-5 of the largest left out
/// @throws UsageError if there is no pair or a position is not in the table
[[nodiscard]] PairModel fit_pair_regression(const Table& table, std::span<const Pair> pairs, double penalty);

}  // namespace summand::lab
