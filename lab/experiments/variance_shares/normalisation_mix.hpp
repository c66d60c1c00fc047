#pragma once

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/variance_shares/dominance.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace variance_shares_parts {
inline constexpr NumberName kMix{"variance_shares", "mix_left"};
inline constexpr NumberName kMixAll{"variance_shares", "mix_left_all"};
inline constexpr NumberName kUnevenBefore{"variance_shares", "uneven_before"};
inline constexpr NumberName kUnevenAfter{"variance_shares", "uneven_after"};
}  // namespace variance_shares_parts

/// What the first normalisation makes alike: how much is left of what doubling a part does to the proportions of the
/// parts, how much σ differs from token to token, the variance of each part, and what becomes of freshly drawn rows.
/// Nothing where fewer than two parts vary: there is no mix.
/// @param draws  of texts, for intervals
void measure_normalisation(const PartSamples& samples, const FirstNorm& norm, const Conditions& conditions,
                           const Draws& draws, Numbers& numbers);

}  // namespace summand::lab
