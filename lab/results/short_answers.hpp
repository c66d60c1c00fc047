#pragma once

#include <span>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/results/experiment_result.hpp"

namespace summand::lab {

/// One of the two questions that people come with, and what a run says to it in a sentence, as a terminal has it.
struct ShortAnswer {
  LocalizedText question;  ///< "Does adding lose anything at the input?"
  LocalizedText sentence;  ///< the answer, with its full stop
  LocalizedText more;      ///< what the experiment says beyond that sentence; may be empty
};

/// What an experiment answers; where nothing could be measured, why. Empty where it has no answer.
[[nodiscard]] LocalizedText answer_of(const ExperimentResult& report);

/// Does adding lose anything at the input? What has the position table learned? In this order; a question is left out
/// where the experiment that answers it (that of claim 3.1, of claim X1) is not among the reports.
[[nodiscard]] std::vector<ShortAnswer> short_answers(std::span<const ExperimentResult> reports);

}  // namespace summand::lab
