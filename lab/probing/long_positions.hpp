#pragma once

#include <cstddef>

#include "lab/statistics/table.hpp"

// Rows for positions that a table does not have. Each takes a table [positions, hidden] and gives [rows, hidden].
namespace summand::lab {

/// The share of the coarse part that Su gives hierarchical positions.
inline constexpr double kHierarchicalShare = 0.4;

/// The table's own rows, then one of them again and again.
/// @param rows  at least the table's
/// @param last  the row that is repeated: the last that is like its neighbours
[[nodiscard]] Table clamped_positions(const Table& table, size_t rows, size_t last);

/// The table stretched: row i is the table at i · (positions − 1) / (rows − 1), linear between rows.
[[nodiscard]] Table stretched_positions(const Table& table, size_t rows);

/// Row i is the table's row i mod positions.
[[nodiscard]] Table tiled_positions(const Table& table, size_t rows);

/// Row (i − 1)·n + j, from 1, is αu_i + (1 − α)u_j with u_i = (p_i − αp_1) / (1 − α): the first n rows are the table's.
/// @param rows  at most the square of the table's
/// @param share  α, above 0 and below 1, not 1/2: rows (i, j) and (j, i) would be one
/// @throws UsageError if there are more rows, or of another share
/// Source: Su 2020, kexue.fm/archives/7947
[[nodiscard]] Table hierarchical_positions(const Table& table, size_t rows, double share = kHierarchicalShare);

}  // namespace summand::lab
