#pragma once

#include <cstddef>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Squares of the Euclidean distances between rows. @return [rows, rows], symmetric, diagonal 0
[[nodiscard]] Table squared_distances(const Table& table);

/// How local a path is: of each row's `count` nearest other rows, the fraction that lies within ±count rows of it, on
/// average. Every row, at an end too, has so many there: 1 can be reached. Ties go to the lower row.
/// @throws UsageError unless 1 ≤ count < rows
[[nodiscard]] double neighbour_continuity(const Table& table, size_t count);

/// How far neighbours in an embedding are neighbours in the table: 1 less the penalised ranks of those that are not.
/// @throws UsageError if the rows differ in number, or unless 1 ≤ count < rows / 2
/// Source: Venna & Kaski 2001
[[nodiscard]] double trustworthiness(const Table& table, const Table& embedding, size_t count);

}  // namespace summand::lab
