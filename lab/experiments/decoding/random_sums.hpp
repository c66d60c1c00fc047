#pragma once

#include <cstddef>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/figure.hpp"
#include "lab/core/numbers.hpp"

namespace summand::lab {

/// The sum as it is, and behind the normalisation.
[[nodiscard]] std::vector<LocalizedText> words_of_seen();

/// Of random tables: how wide a sum has to be for all three to be found. Adds what is found at two widths.
/// @param count  sums at each width
[[nodiscard]] Figure capacity_figure(size_t count, const Conditions& conditions, Numbers& numbers);

}  // namespace summand::lab
