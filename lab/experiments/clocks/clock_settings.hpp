#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <numbers>

#include "lab/core/experiment.hpp"
#include "lab/core/localize.hpp"

namespace summand::lab::clocks {

// What the rules of X1 and X2 ask beyond circle_rule and ladder_rule, and how much is drawn.

inline constexpr double kShownShare = 0.05;   ///< of the variance: planes that are no circles are drawn from it on
inline constexpr size_t kStepsCompared = 16;  ///< positions of a step whose distances tell whether all turns as one
inline constexpr double kOneMotion = 0.9;     ///< of what Gaussian tables leave to 1: with less the steps turn as one
inline constexpr double kDegrees = 180 / std::numbers::pi;  ///< of a radian
inline constexpr double kOptimum = std::numbers::e;

/// How much is drawn.
struct Size {
  size_t draws = 7;     ///< of every kind of null and of control
  size_t kernels = 39;  ///< Gaussian tables with the lag kernel of the steps
  size_t resamplings = 200;
};
inline constexpr Size kFull{};
inline constexpr Size kQuick{.draws = 2, .kernels = 19, .resamplings = 50};

[[nodiscard]] inline Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// "4, 12, 48".
template <class Values>
[[nodiscard]] LocalizedText listed(const Values& values) {
  return {fmt::format("{}", fmt::join(values, ", ")), fmt::format("{}", fmt::join(values, "、"))};
}

/// What the texts say of the constants.
[[nodiscard]] FormatArgs settings();
/// The same and more.
[[nodiscard]] FormatArgs settings_with(const FormatArgs& more);

}  // namespace summand::lab::clocks
