#pragma once

#include "lab/core/words.hpp"

namespace summand::lab {

/// Whether what a document says it saw is there on this checkpoint.
enum class Observation { holds, fails, cannot_be_told, not_measured };

/// Whether what the document concludes from it follows.
enum class Inference { follows, does_not_follow, not_tested };

/// Both verdicts on a claim, and why in a sentence.
struct Verdict {
  Observation observation = Observation::not_measured;
  Inference inference = Inference::not_tested;
  Words reason;
};

/// As results.json writes them: "holds", "fails", "cannot be told", "not measured"; "follows", "does not follow",
/// "not tested".
[[nodiscard]] const Words& words_of(Observation observation);
[[nodiscard]] const Words& words_of(Inference inference);

}  // namespace summand::lab
