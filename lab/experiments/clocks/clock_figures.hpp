#pragma once

#include <vector>

#include "lab/core/figure.hpp"
#include "lab/statistics/circles.hpp"
#include "lab/statistics/placed_rows.hpp"

namespace summand::lab::clocks {

/// Energy by frequency, of the table with its lines and of reference tables.
[[nodiscard]] Figure spectrum_figure(const PlacedRows& rows, const Circles& circles, const PlacedRows& walk,
                                     const PlacedRows& control);

/// Radius and phase in every plane, position by position.
[[nodiscard]] std::vector<Figure> plane_figures(const std::vector<FoundPlane>& planes, const std::vector<size_t>& at);

/// Where every position lies in every plane: the dials; and how far from the mean row it lies in all directions.
[[nodiscard]] Figure dials_figure(const std::vector<FoundPlane>& planes, const PlacedRows& rows);

/// The rows less their mean, and beside them what the planes have of each: the sum of the dials.
[[nodiscard]] Figure rebuilt_figure(const std::vector<FoundPlane>& planes, const PlacedRows& rows);

}  // namespace summand::lab::clocks
