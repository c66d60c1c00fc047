#pragma once

#include <cstddef>
#include <span>

#include "base/random_stream.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Bases below are orthonormal rows: [dimensions, columns].

/// The span of the table's first right singular vectors: where its rows have most of their energy. Centre the table
/// first if its mean is not meant.
/// @throws UsageError if the table's rank is smaller
[[nodiscard]] Table leading_subspace(const Table& table, size_t dimensions);

/// Between two subspaces of the same space, in radians, smallest first; as many as the smaller one has dimensions.
/// Source: Björck & Golub 1973; small angles from sines as Knyazev & Argentati 2002
[[nodiscard]] Vector principal_angles(const Table& basis_a, const Table& basis_b);

/// tr(Π_a Π_b) / dimensions of a: which share of a's directions lies inside b; the mean of cos² of the angles if a has
/// no more dimensions than b. By chance: dimensions of b / columns.
[[nodiscard]] double energy_overlap(const Table& basis_a, const Table& basis_b);

/// The share of a vector's square inside the subspace. By chance: dimensions / columns.
/// @throws UsageError for a zero vector
[[nodiscard]] double share_inside(const Vector& vector, const Table& basis);
/// The same of all rows together.
[[nodiscard]] double share_inside(const Table& rows, const Table& basis);

/// Orthonormal rows, uniform among all such frames; with as many dimensions as columns a rotation or a reflection.
/// @return [dimensions, columns]
/// Source: Haar measure by Householder QR with positive diagonal, Mezzadri 2007
[[nodiscard]] Table random_frame(size_t dimensions, size_t columns, RandomStream& stream);

/// (√n − Σ|x| / √Σx²) / (√n − 1): 0 if all entries have one size, 1 if one is not 0. Source: Hoyer 2004
/// @throws UsageError with fewer than two entries or only zeros
[[nodiscard]] double hoyer_sparsity(std::span<const double> values);

}  // namespace summand::lab
