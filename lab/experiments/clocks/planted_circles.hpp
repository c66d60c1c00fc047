#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab::clocks {

// The control: circles as a learned table may have them, under noise and at a pace that drifts.
inline constexpr double kPlantedNoise = 0.2;   // share of the variance
inline constexpr double kPlantedDrift = 0.05;  // standard deviation of the pace's logarithm
inline constexpr double kSlowestTurns = 2.25;  // in the smallest part that is looked at by itself
inline constexpr double kFastestTurn = 0.4;    // of a turn, a step

/// So many frequencies in equal ratios from the slowest to the fastest; one alone lies in their middle.
/// @param part  positions of the smallest part @return turns over all rows
[[nodiscard]] std::vector<double> planted_turns(size_t circles, size_t rows, size_t part);

/// Circles of equal radius in random planes at right angles, each with a smooth drift of its own about its frequency,
/// and white noise.
/// @param turns  one for each circle; the table has twice as many columns or more
/// @param drift  standard deviation of the pace's logarithm
[[nodiscard]] Table planted_circles(Shape shape, std::span<const double> turns, RandomStream& stream,
                                    double drift = kPlantedDrift);

}  // namespace summand::lab::clocks
