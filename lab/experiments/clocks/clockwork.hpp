#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lab/statistics/circles.hpp"
#include "lab/statistics/interval.hpp"
#include "lab/statistics/ladder.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab::clocks {

inline constexpr size_t kUsualComponents = 10;  // where a table has no circle to choose them by
inline constexpr size_t kStretches = 5;         // of positions, each held out in turn
inline constexpr size_t kNamedBands = 5;
inline constexpr double kMostEnergy = 0.9;  // that the strongest bands are to hold

/// What is measured alike of a table, of every draw of a null and of every control.
struct Clockwork {
  Circles whole = {};
  size_t components = 0;                     ///< that the rotation's own numbers, below, are taken in
  std::map<std::string, double> parts = {};  ///< the share of variance in circles, part by part
  double turning = 0;                        ///< Circles::turning, the least of the whole and of every part
  double by_turns = 0;                       ///< Circles::by_turns, likewise
  double bands = 0;                          ///< how many of the strongest hold 90 % of the energy
  double five_bands = 0;                     ///< share of the energy in the five strongest
  double skill = 0;                          ///< of the step rotation over persistence, held out
  double variation = 0;                      ///< of the radius, the planes' mean weighted by their variance
  double drift = 0;                          ///< of the phase, likewise, in turns
  double coherence = 0;                      ///< positions over which every circle's pace tells its phase: the least
  std::vector<double> angles = {};           ///< of the planes, in degrees a step, slowest first

  /// The smallest share in circles, of the whole and of every part.
  [[nodiscard]] double least() const;
  /// The circles' share of what all planes that go round hold; 0 where none does.
  [[nodiscard]] double alone() const { return whole.turning > 0 ? whole.share / whole.turning : 0; }
  /// 0 where there are not so many planes.
  [[nodiscard]] double angle(size_t plane) const { return plane < angles.size() ? angles[plane] : 0; }
};

/// @param components  that the rotation's own numbers are taken in, as far as there are so many; 0: those of the
/// circles
[[nodiscard]] Clockwork clockwork_of(const PlacedRows& rows, size_t components);

/// How many times as fast one circle is as the one before.
struct PaceRatio {
  double value = 0;
  Interval interval;
};

/// The same circles in some of the positions.
struct PartLadder {
  Ladder ladder = {};
  std::vector<double> ratios = {};  ///< slowest first
};

/// How even the circles' paces are as a ladder, and how sure that is. Every pace is the slope of the phase's
/// least-squares line; the intervals draw stretches of 16 steps, of all circles together, and contain their number:
/// paces drawn anew are never more even than they were, on average.
/// Random ladders have the same ends, and neighbours as far apart as circles have to be.
struct LadderReading {
  Ladder ladder = {};
  Interval ratio = {};
  Interval log_spread = {};
  Interval ratio_p = {};
  Vector random = {};                            ///< standard deviations of random ladders' logarithms of ratios
  std::vector<PaceRatio> ratios = {};            ///< slowest first
  std::map<std::string, PartLadder> parts = {};  ///< of the same circles, in some of the positions

  /// The worst of the parts; 1 without one.
  [[nodiscard]] double most_p_of_parts() const;
};

/// @param rows  that the circles were found in
/// @param draws  of the intervals; the random ladders have the stream "name ladders"
/// @pre ladder_rule::kLeastRungs circles or more
[[nodiscard]] LadderReading ladder_reading(const Circles& circles, const PlacedRows& rows, const Draws& draws);

}  // namespace summand::lab::clocks
