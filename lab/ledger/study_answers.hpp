#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/core/verdict.hpp"

namespace summand::lab {

/// What summand's studies of models trained from scratch say of a claim: of the question, not of any checkpoint. An
/// entry of study_answers.json, whose numbers are those of studies/*/verdicts.json.
struct StudyAnswer {
  std::string claim;
  Observation verdict = Observation::not_measured;
  LocalizedText text;
};

[[nodiscard]] const std::vector<StudyAnswer>& study_answers();

/// @return null if the studies say nothing of the claim
[[nodiscard]] const StudyAnswer* study_answer(std::string_view claim);

}  // namespace summand::lab
