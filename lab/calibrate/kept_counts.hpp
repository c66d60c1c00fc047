#pragma once

#include <string>
#include <vector>

#include "lab/calibration/calibration.hpp"
#include "lab/core/localized_text.hpp"

namespace summand::lab {

/// Gives a claim that was measured by quick or by full draws alone the counts by the other draws that an earlier
/// calibration has: of the same rule, the same seed and the same families and number, else none of them.
/// @param before  null where the earlier calibration has no such claim
void keep_other_counts(CalibratedClaim& made, const CalibratedClaim* before);

/// Which counts a call measured, which it kept and which it let go, in a sentence. "4.8 (full)" is a claim's by full
/// draws.
/// @param measured  names of the claims that the call planted truths for
[[nodiscard]] LocalizedText words_of_counts(const Calibration& made, const Calibration& before,
                                            const std::vector<std::string>& measured, bool quick);

}  // namespace summand::lab
