#pragma once

#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/variance_shares/dominance.hpp"
#include "lab/probing/input_parts.hpp"

namespace summand::lab {

/// What the first normalisation makes alike: how far the positions' share moves when their rows are doubled, how much
/// σ differs from token to token, and the variance of each part.
void measure_normalisation(const PartSamples& samples, const FirstNorm& norm, const Conditions& conditions,
                           Numbers& numbers);

}  // namespace summand::lab
