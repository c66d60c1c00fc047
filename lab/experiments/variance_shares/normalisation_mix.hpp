#pragma once

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/variance_shares/dominance.hpp"
#include "lab/probing/input_parts.hpp"

namespace summand::lab {

namespace variance_shares_parts {
inline constexpr NumberName kMix{"variance_shares", "mix_moves"};
inline constexpr NumberName kUnevenBefore{"variance_shares", "uneven_before"};
inline constexpr NumberName kUnevenAfter{"variance_shares", "uneven_after"};
}  // namespace variance_shares_parts

/// What the first normalisation makes alike: how far the positions' share moves when their rows are doubled, how much
/// σ differs from token to token, and the variance of each part.
void measure_normalisation(const PartSamples& samples, const FirstNorm& norm, const Conditions& conditions,
                           Numbers& numbers);

}  // namespace summand::lab
