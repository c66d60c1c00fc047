#pragma once

#include <cstddef>

#include "lab/statistics/table.hpp"

namespace summand::lab {

// Metrics of a square matrix of attention, or of its logits, whose rows and columns are positions. The diagonal is left
// out wherever it would count as structure.

/// Share of the energy around the mean, off the diagonal, that is symmetric: 1 for a symmetric matrix, ½ for noise, 0
/// for an antisymmetric one; 0 where all entries are equal.
[[nodiscard]] double symmetry_share(const Table& matrix);
/// toeplitz_r2(), and 0 where all entries off the diagonal are equal.
[[nodiscard]] double distance_share(const Table& matrix);
/// Mean over rows of Kendall's τ between −|i − j| and the entries at most `window` away: 1 if they fall with distance.
[[nodiscard]] double local_monotonicity(const Table& matrix, Eigen::Index window);
/// What the rows put to the right less what they put to the left, per row.
[[nodiscard]] double direction_bias(const Table& matrix);

/// mean_i Σ_j A_ij 2^−|i−j|. Depends on the length: 3/length for even attention. Source: Chen et al. 2023
[[nodiscard]] double published_locality(const Table& attention);
/// 1 less the mean of |A_{i,i−k} − A_{i,i+k}|, each row's differences stretched to 0 … 1 first: the smallest noise
/// counts like the largest. Source: Chen et al. 2023, as their code computes it
[[nodiscard]] double published_symmetry(const Table& attention);

/// −slope·|i − j|, [length, length]. Source: Press et al. 2022, both directions
[[nodiscard]] Table falling_logits(Eigen::Index length, double slope);
/// Share of the logits' energy around their rows' means, off the diagonal, that depends on distance, constants of the
/// rows left free: the softmax does not see them.
[[nodiscard]] double logit_distance_share(const Table& logits);
/// symmetry_share() with the means of rows and of columns taken away: a place that all favour is not symmetric.
[[nodiscard]] double logit_symmetry_share(const Table& logits);

}  // namespace summand::lab
