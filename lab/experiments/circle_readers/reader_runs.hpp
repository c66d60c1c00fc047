#pragma once

#include <cstddef>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/experiments/circle_readers/circle_positions.hpp"
#include "lab/experiments/circle_readers/offset_attention.hpp"
#include "lab/experiments/circle_readers/windows.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::circle_readers {

/// The circles' span is cut into random planes so many times: one way of cutting it is the strongest of twenty by
/// chance in one case of twenty.
inline constexpr size_t kCuts = 19;

/// How much of it is done.
struct Size {
  size_t windows = 24;
  size_t windows_of_cuts = 6;  ///< the first ones, in which random planes are stopped
  size_t resamplings = 500;

  [[nodiscard]] static Size of(const Conditions& conditions);
};
inline constexpr Size kFull{};
inline constexpr Size kQuick{.windows = 10, .windows_of_cuts = 2, .resamplings = 200};

/// Planes changed in all three ways; in a quick run stopped alone.
struct PlaneEffects {
  std::vector<HeadEffects> stopped;
  std::vector<HeadEffects> reversed;
  std::vector<HeadEffects> sped_up;
};

/// What every change does, to the same windows.
struct ReaderRuns {
  size_t layers = 0;
  size_t heads = 0;                        ///< of a layer
  Table attention = {};                    ///< [heads of all layers, offsets], undisturbed, over windows
  PlaneEffects circles = {};               ///< slowest first
  HeadEffects all_stopped = {};            ///< all circles at once
  HeadEffects without_order = {};          ///< every ordinary row in use their mean
  std::vector<PlaneEffects> cuts = {};     ///< random planes; reversed and sped up in the first cut alone
  std::vector<HeadEffects> one_each = {};  ///< planes stopped where heads of a first layer read one each
  std::vector<HeadEffects> alike = {};     ///< where they read all alike; neither where a head has no room for two
};

/// @pre two circles or more
[[nodiscard]] ReaderRuns reader_runs(const Subject& subject, const CirclePositions& positions, const Windows& windows,
                                     const Conditions& conditions);

}  // namespace summand::lab::circle_readers
