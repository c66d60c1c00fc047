#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/statistics/interval.hpp"
#include "lab/statistics/placed_rows.hpp"

namespace summand::lab {

/// Whether a table has more of something than its lag kernel gives any table. What is judged is a share that is 1 where
/// the property is exact; a table drawn at random with the same kernel has some of it.

/// What a table leaves of the way to 1 must be at most half of what 97.5 % of the random ones leave. On twelve planted
/// tables (lab_referee) exact ones leave nothing, and no draw of a null left less than 0.7 of that.
inline constexpr double kLeftBeyond = 0.5;
/// From here on a share counts as exact: a table that is exactly periodic has the property in all copies with joint
/// phases too, so that they are no null for it.
inline constexpr double kExactShare = 0.99;
/// Less than half is not the property, unless even that is more than 97.5 % of the random tables have.
inline constexpr double kLeastShare = 0.5;
/// A share of less than this …
inline constexpr double kNearlyAll = 0.9;
/// … that leaves more than so many times what 97.5 % of the random tables leave, is less than the kernel gives. Where
/// they are nearly exact, a little noise decides which of them leaves more.
inline constexpr double kFarMore = 2;

/// A share, and where the middle 95 % of both nulls lie.
struct KernelComparison {
  double own = 0;
  Interval gaussian;      ///< Gaussian tables with the same lag kernel
  Interval joint_phases;  ///< copies under joint random phases
};

enum class Standing {
  beyond,  ///< more than the kernel gives
  within,  ///< what it may give
  below,   ///< less than half, and no more than the kernel gives; or clearly not all, and far less than it gives
};
[[nodiscard]] Standing standing(const KernelComparison& share);

/// Whether a share is so far below the Gaussian tables.
[[nodiscard]] bool is_below(double share, const Interval& gaussian);

using SharesOf = std::function<std::vector<double>(const PlacedRows&)>;

struct KernelDraws {
  size_t gaussian = 0;
  size_t joint_phases = 0;
};

/// How many draws: of the table, of the sinusoid, whose margin is wide, and of other choices of rows.
struct KernelSizes {
  KernelDraws table;
  KernelDraws sinusoid;
  size_t other_rows = 0;
};
inline constexpr KernelSizes kFullKernelSizes{{99, 39}, {19, 19}, 11};
inline constexpr KernelSizes kQuickKernelSizes{{29, 19}, {19, 19}, 11};

/// Of every share the own, and its draws.
struct KernelComparisons {
  std::vector<double> own;                        ///< [shares]
  std::vector<std::vector<double>> gaussian;      ///< [shares][draws]
  std::vector<std::vector<double>> joint_phases;  ///< [shares][draws]

  [[nodiscard]] KernelComparison of(size_t share) const;
};

/// Draw i has the stream "name: gaussian_same_kernel i", or "name: joint_phases i".
/// @throws UsageError if all rows are equal
[[nodiscard]] KernelComparisons compared_with_kernel(const PlacedRows& rows, const std::string& name,
                                                     const KernelDraws& draws, const Conditions& conditions,
                                                     const SharesOf& shares);

}  // namespace summand::lab
