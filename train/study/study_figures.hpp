#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/study/arm_summary.hpp"
#include "train/study/comparison.hpp"

namespace summand::train {

/// Self-contained SVGs, light or dark by the reader's system.

/// Each comparison as a point and its interval, over the margin; beyond five margins it is an arrow.
/// @param comparisons  with one margin for all
[[nodiscard]] std::string forest_svg(const std::string& title, std::span<const Comparison* const> comparisons,
                                     double level);

/// The share of the gap that each run leaves: a dot a run, and a bar at the arm's median.
[[nodiscard]] std::string gap_svg(const std::string& title, std::span<const ArmSummary* const> arms);

/// Excess by step: the median of each arm's runs, and every stuck run by itself.
[[nodiscard]] std::string curves_svg(const std::string& title, std::span<const ArmSummary* const> arms);

}  // namespace summand::train
