#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/experiments/clocks/clockwork.hpp"
#include "lab/statistics/placed_rows.hpp"

namespace summand::lab::clocks {

inline constexpr std::array<double, 3> kSmoothLengths{4, 12, 48};  // of Gaussian processes, in positions
inline constexpr std::array<size_t, 3> kPlantedCircles{1, 3, 5};

/// What is drawn beside a table: of its shape, without the rows that it is looked at without, and measured as it is.
struct DrawnClockworks {
  std::vector<Clockwork> walks;
  std::vector<Clockwork> nulls;     ///< walks, Gaussian processes of every length, and white noise
  std::vector<Clockwork> controls;  ///< planted circles, of every number of them that the columns have room for
  std::vector<Clockwork> most;      ///< controls with most circles
  PlacedRows walk;                  ///< the first of each, for figures
  PlacedRows planted;
};

/// @param own  two columns or more @param draws  of every kind
[[nodiscard]] DrawnClockworks drawn_clockworks(const PlacedRows& own, size_t draws, const Conditions& conditions);

}  // namespace summand::lab::clocks
