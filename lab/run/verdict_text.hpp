#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/results/experiment_result.hpp"

namespace summand::lab {

/// What a run found, claim by claim, in the ledger's order and under the documents' titles: what the claim says,
/// whether it holds and whether what the document concludes is true here, and the number that decided. Behind it a line
/// that counts.
/// @param width  columns of a line
[[nodiscard]] std::string summary_text(const std::vector<ExperimentResult>& reports, Language language, size_t width);

}  // namespace summand::lab
