#pragma once

#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/experiments/toeplitz/common_axes.hpp"
#include "lab/statistics/interval.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab::toeplitz {

/// Of rows p and a form H: how much of the pairs' numbers (p(m) − p(n))ᵀ·H·(p(m) − p(n)) n − m tells, and how large
/// they are.
struct Energies {
  double told = 0;
  double pairs = 0;  ///< around their mean
  double odd = 0;    ///< of p(m)ᵀ·H·p(n): of what changes its sign when m and n are exchanged
  double all = 0;    ///< of p(m)ᵀ·H·p(n), m ≠ n
};
[[nodiscard]] Energies energies_of(const PlacedRows& scores, const Table& h);

/// [texts][functions]
using Grid = std::vector<std::vector<Energies>>;

/// @param forms  of the scores' columns
[[nodiscard]] Grid grid_of(const PlacedRows& scores, const Forms& forms);

/// Over all texts and functions, which weigh as much as they have energy.
[[nodiscard]] Energies whole(const Grid& grid);

/// 0 where there is no energy.
[[nodiscard]] double told_share(const Energies& sum);
[[nodiscard]] double odd_share(const Energies& sum);

/// Percentile bootstrap of a share of the whole, over texts and functions, both drawn with replacement.
[[nodiscard]] Interval interval_of(const Grid& grid, double (*share)(const Energies&), const Conditions& conditions);

}  // namespace summand::lab::toeplitz
