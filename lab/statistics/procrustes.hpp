#pragma once

#include <cstddef>
#include <optional>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// The orthogonal R, rotation or reflection, that makes ‖from · R − to‖ smallest.
/// @return [columns, columns] @throws UsageError if the two differ in shape
/// Source: Schönemann 1966
[[nodiscard]] Table orthogonal_procrustes(const Table& from, const Table& to);

/// What one step along the positions may do: four meanings of "relative position".
enum class ShiftMap {
  orthogonal,           ///< p(x + k) = p(x) · R, R orthogonal
  linear,               ///< p(x + k) = p(x) · M
  scalar,               ///< p(x + k) = α · p(x)
  constant_difference,  ///< p(x + k) = p(x) + c
};

/// Rows first … end − 1.
struct Block {
  size_t first = 0;
  size_t end = 0;
};

struct ShiftSettings {
  size_t shift = 1;                    ///< k, in rows
  size_t components = 16;              ///< principal components, of all rows and centred, that the map acts on
  std::optional<Block> held_out = {};  ///< none: the middle third
};

/// How well one map for all positions predicts the row k further, where it was not fitted: 1 − SSE / SSE of
/// persistence, p(x + k) = p(x). Fitted on pairs of rows with both ends outside the held-out block, judged on pairs
/// with both ends within it; pairs across its border serve neither. Persistence, not the mean, is the baseline: any
/// smooth path is predicted from its neighbour.
/// @return at most 1; 0 is as good as persistence
/// @throws UsageError if fewer than `components` pairs are left to fit on, none to judge by, or the table has a smaller
/// rank
[[nodiscard]] double shift_skill(const Table& table, ShiftMap map, const ShiftSettings& settings);

}  // namespace summand::lab
