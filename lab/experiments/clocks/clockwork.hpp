#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lab/statistics/circles.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/interval.hpp"
#include "lab/statistics/ladder.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab::clocks {

/// What is measured alike of a table, of every draw of a null and of every control.
struct Clockwork {
  Circles whole = {};
  std::map<std::string, Circles> parts = {};  ///< circles of these positions by themselves
  double coherence = 0;                       ///< positions over which every circle's pace tells its phase: the least

  /// In degrees a step, slowest first; 0 where there are not so many circles.
  [[nodiscard]] double pace(size_t circle) const;
};

[[nodiscard]] Clockwork clockwork_of(const PlacedRows& rows);

/// The same circles in some of the positions.
struct PartLadder {
  Ladder ladder = {};
  std::vector<double> ratios = {};  ///< slowest first
  double slowest_turns = 0;         ///< there: a pace is known from one turn on
};

/// How even the circles' paces are as a ladder, and how sure that is. Every pace is the slope of the phase's
/// least-squares line; the intervals draw stretches of 16 steps, of all circles together, and contain their number:
/// paces drawn anew are never more even than they were, on average.
/// Random ladders have the same ends, and neighbours ladder_rule::kNeighbourhood times apart or more.
struct LadderReading {
  Ladder ladder = {};
  Interval ratio = {};
  Interval log_spread = {};
  Interval ratio_p = {};
  Vector random = {};                            ///< standard deviations of random ladders' logarithms of ratios
  std::vector<Estimate> ratios = {};             ///< of a circle's pace to the one before; slowest first
  std::map<std::string, PartLadder> parts = {};  ///< of the same circles, in some of the positions

  /// p, the largest of the whole and of the parts in which the slowest circle makes a turn.
  [[nodiscard]] double most_p() const;
};

/// @param rows  that the circles were found in
/// @param draws  of the intervals; the random ladders have the stream "name ladders"
/// @pre ladder_rule::kLeastRungs circles or more
[[nodiscard]] LadderReading ladder_reading(const Circles& circles, const PlacedRows& rows, const Draws& draws);

}  // namespace summand::lab::clocks
