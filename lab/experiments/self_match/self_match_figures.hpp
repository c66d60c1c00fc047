#pragma once

#include <array>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/experiments/self_match/own_match.hpp"

namespace summand::lab {

/// On the logits.
inline constexpr std::array kOwnFactors{1.0 / 32, 1.0 / 16, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0};
/// Of the logarithm of the norms.
inline constexpr std::array kOwnSpreads{0.0, 0.05, 0.1, 0.2, 0.4, 0.8};

/// @param lines  over kOwnFactors: no maps with one head, no maps by heads,
/// trained maps, equal norms
[[nodiscard]] Figure own_temperature_figure(const std::array<std::vector<OwnMatch>, 4>& lines);
/// @param carried  without maps
[[nodiscard]] Figure own_layers_figure(const OwnMatches& carried, const OwnMatches& trained);
/// @param matches  over kOwnSpreads
[[nodiscard]] Figure own_norms_figure(const std::vector<OwnMatch>& matches);

}  // namespace summand::lab
