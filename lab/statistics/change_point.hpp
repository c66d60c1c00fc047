#pragma once

#include <cstddef>
#include <span>

#include "lab/statistics/resampling.hpp"

namespace summand::lab {

/// A place where a series' mean changes.
struct ChangePoint {
  size_t place = 0;       ///< the first item after the change
  double difference = 0;  ///< mean after less mean before
  double share = 0;       ///< of the series' variance that the two means explain
  double p = 1;           ///< that blocks in random order explain so much
};

struct ChangeSettings {
  size_t margin = 1;  ///< items that each side has at least
  size_t block = 1;   ///< items that are permuted together: above the length over which neighbours resemble each other
};

/// The place that explains most, its p by permuting the series and searching each time again.
/// @throws UsageError if the series is constant or has not two margins or two blocks
/// Source: Hawkins 1977, the likelihood ratio of one change in the mean; permutations as Antoch & Hušková 2001
[[nodiscard]] ChangePoint best_change_point(std::span<const double> series, const ChangeSettings& settings,
                                            const Draws& draws);

/// A place named beforehand: its p has no search in it.
[[nodiscard]] ChangePoint change_at(std::span<const double> series, size_t place, const ChangeSettings& settings,
                                    const Draws& draws);

}  // namespace summand::lab
