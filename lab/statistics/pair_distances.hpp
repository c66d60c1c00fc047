#pragma once

#include <cstddef>
#include <vector>

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"
#include "lab/statistics/toeplitz.hpp"

namespace summand::lab {

/// What the distances between the rows of a table of positions tell of how far apart the positions are. A vector added
/// to all rows, and a rotation of them, change no distance.

/// A number for each pair of kept positions.
struct PairTable {
  Table values;            ///< [kept, kept], symmetric
  std::vector<size_t> at;  ///< [kept], increasing: row i stands at position at[i]
};

/// ‖p(x) − p(y)‖².
[[nodiscard]] PairTable squared_distances(const PlacedRows& rows);
/// (p(x) − p(y))ᵀ · H · (p(x) − p(y)): may be negative. @param form  H, [columns, columns]; only its symmetric half
/// counts
[[nodiscard]] PairTable squared_distances(const PlacedRows& rows, const Table& form);

/// How well every pair keeps its number when both positions move on by k:
/// 1 − Σ (d(x+k, y+k) − d(x, y))² / Σ ((d(x+k, y+k) − d̄)² + (d(x, y) − d̄)²), over pairs x < y of which all four
/// positions are kept. Of squared distances it is 1 exactly if one motion (a rotation about some centre, and a
/// translation) takes every row to the row k further; 0 if what moves on has nothing to do with what was.
/// @return 0 if all numbers are equal @throws UsageError if fewer than three positions have one k further
[[nodiscard]] double kept_by_shift(const PairTable& pairs, size_t shift);

/// The share of the numbers' variance, over pairs x < y, that their means by y − x hold: 1 if a pair's number is a
/// function of y − x. A Toeplitz share, the diagonal left out, where positions may be missing.
/// @return 0 if all numbers are equal @throws UsageError with fewer than three positions
[[nodiscard]] double share_by_distance(const PairTable& pairs);
/// The same of the pairs up to so many positions apart.
[[nodiscard]] double share_by_distance(const PairTable& pairs, size_t farthest);

/// The means by y − x. @return [span], entry k is of pairs k apart; 0 where there is none, and entry 0
[[nodiscard]] Vector means_by_distance(const PairTable& pairs);

/// toeplitz_hankel() where positions may be missing, for many tables of the same positions: the normal equations are
/// factored once.
class ToeplitzHankelFit {
 public:
  /// @throws UsageError with fewer than four positions
  explicit ToeplitzHankelFit(const std::vector<size_t>& at);

  /// @param symmetric  [kept, kept] @throws UsageError if all its entries off the diagonal are equal
  [[nodiscard]] ToeplitzHankel shares(const Table& symmetric) const;

 private:
  std::vector<size_t> at_;
  Vector distance_counts_;    ///< [span], pairs of each distance
  Vector sum_counts_;         ///< [2 · span − 1], pairs of each sum, both counted from the first position
  Eigen::MatrixXd solution_;  ///< [span, span], of the normal equations reduced to the distances
};

}  // namespace summand::lab
