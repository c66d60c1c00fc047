#pragma once

#include <cstddef>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/experiments/position_strength/logit_groups.hpp"

namespace summand::lab {

/// How far a layer's attention moves with a strength of the positions, over its divergence from uniform attention.
struct StrengthCurvePoint {
  double strength = 1;
  size_t layer = 0;
  double moved = 0;
};

/// The first, a middle and the last layer. @param layer_count  of the model
[[nodiscard]] Figure strength_figure(const std::vector<StrengthCurvePoint>& points, size_t layer_count);
/// The shares of the 4 × 4 terms.
[[nodiscard]] Figure terms_figure(const TermShares& shares);

}  // namespace summand::lab
