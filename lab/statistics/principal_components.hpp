#pragma once

#include <cstddef>
#include <vector>

#include "lab/statistics/singular_vectors.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// The principal components of a table, centred by column, the one of largest variance first.
struct PrincipalComponents {
  Vector mean;       ///< [columns]
  Vector variances;  ///< [components], of the scores, divided by rows − 1
  Vector shares;     ///< [components], of the table's whole variance
  Table scores;      ///< [rows, components]
  Table loadings;    ///< [components, columns], orthonormal rows; of each the entry of largest size is positive
};

/// @param at_most  how many components are wanted; directions of less than 1e-12 of the largest variance are left out
/// @throws UsageError with less than two rows, or rows that are all equal
[[nodiscard]] PrincipalComponents principal_components(const Table& table, size_t at_most = kAll);

/// The shares of all components, without the components: min(rows, columns) of them; the sum is 1.
[[nodiscard]] Vector variance_shares(const Table& table);

/// exp of the shares' entropy: n for n equal shares. Source: Roy & Vetterli 2007
[[nodiscard]] double effective_rank(const Vector& shares);
/// (Σ shares)² / Σ shares²: n for n equal shares.
[[nodiscard]] double participation_ratio(const Vector& shares);
/// How many shares are larger than this one.
[[nodiscard]] size_t components_above(const Vector& shares, double share = 0.01);

/// Which part of each component's variance each row owns. @return [rows, components], columns sum to 1
[[nodiscard]] Table leverages(const PrincipalComponents& components);

/// A component of one table, and what of another table comes nearest.
struct ComponentMatch {
  size_t nearest = 0;  ///< component of the other table
  double cosine = 0;   ///< |cosine| between the two
  double inside = 0;   ///< share of the component inside the span of all components of the other that were compared
};

/// Compares the first components of two tables of the same width. Where an eigengap is small, `cosine` falls while
/// `inside` stays near 1: the components rotated among themselves.
/// @throws UsageError if either has fewer
[[nodiscard]] std::vector<ComponentMatch> match_components(const PrincipalComponents& of,
                                                           const PrincipalComponents& other, size_t count);

}  // namespace summand::lab
