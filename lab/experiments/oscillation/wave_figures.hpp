#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/core/charts.hpp"
#include "lab/core/figure.hpp"
#include "lab/core/localize.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab::oscillation {

/// The first components against the position, a small chart each, and the sinusoids that come nearest.
/// @param settings  for the places of its texts @param file  "oscillation-curves"; its title is found by it
[[nodiscard]] Figure curves_figure(const PlacedRows& rows, size_t components, const FormatArgs& settings,
                                   const std::string& file);

/// What the sinusoids explain of each component of some table.
struct ComponentShares {
  chart::Series of;
  std::vector<double> shares;  ///< [components]
};
[[nodiscard]] Figure shares_figure(const std::vector<ComponentShares>& shares, const FormatArgs& settings);

/// Amplitude by frequency of the first components, as a matrix.
[[nodiscard]] Figure amplitude_figure(const Table& table, size_t most);

/// The first components' scores, position by position, as a matrix.
[[nodiscard]] Figure heat_figure(const Table& table, size_t most);

}  // namespace summand::lab::oscillation
