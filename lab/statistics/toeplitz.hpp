#pragma once

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// How much of a square matrix depends on the distance j − i alone, how much on the sum i + j alone.

/// Whether the diagonal counts. It usually must not: white noise times its transpose has half of its energy there, and
/// the diagonal is a distance.
enum class Diagonal { left_out, counted };

/// 1 − ‖A − T(A)‖² / ‖A − Ā‖², T the means along the diagonals, Ā the mean of all entries that count.
/// @throws UsageError if the matrix is not square, smaller than 3, or all entries that count are equal
[[nodiscard]] double toeplitz_r2(const Table& matrix, Diagonal diagonal = Diagonal::left_out);

/// A_ij = t(|i − j|) + h(i + j) + rest off the diagonal of a symmetric matrix, by least squares, t and h free: shares
/// of the energy around the mean. They add up to 1.
struct ToeplitzHankel {
  double toeplitz = 0;  ///< what only distances explain: the fit of both less the fit of sums alone
  double hankel = 0;    ///< what only sums explain
  double shared = 0;    ///< what either explains: whether i + j is even is known from i − j. May fall below 0
  double rest = 0;
};

/// @throws UsageError if the matrix is smaller than 4, not symmetric to 1e-6 of its largest entry, or all entries off
/// the diagonal are equal
[[nodiscard]] ToeplitzHankel toeplitz_hankel(const Table& symmetric);

/// Of a square matrix: how its diagonal stands out.
struct DiagonalDominance {
  double ratio = 0;     ///< mean |diagonal entry| / mean |other entry|
  double off_norm = 0;  ///< ‖others‖ / ‖diagonal‖, Frobenius
};

/// @throws UsageError if the matrix is not square, smaller than 2, diagonal, or its diagonal is 0
[[nodiscard]] DiagonalDominance diagonal_dominance(const Table& matrix);

}  // namespace summand::lab
