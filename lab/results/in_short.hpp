#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/results/experiment_result.hpp"
#include "lab/results/learned.hpp"

namespace summand::lab {

/// An answer to one of the two questions that people come with.
struct LedAnswer {
  LocalizedText lead;  ///< "Not at the input: …"; empty where the text says it
  LocalizedText text;
};

/// Does adding hurt, and what has the position table learned? As a run answers.
struct InShort {
  std::optional<LedAnswer> adding;   ///< none where the run left it out
  std::optional<LedAnswer> table;    ///< its lead is what was learned first of all
  std::vector<Learned> learned;      ///< the strongest first
  LocalizedText circles;             ///< what X1 says, where that is no yes; empty where it is, or was not run
  std::vector<std::string> not_run;  ///< experiments that would tell more of the table
};

[[nodiscard]] InShort in_short(std::span<const ExperimentResult> reports);

/// Why nothing is measured of a model that adds no table of positions.
[[nodiscard]] const LocalizedText& no_position_table();

/// An answer without its "Yes:" or "No.", where something else says that.
[[nodiscard]] LocalizedText behind_yes_or_no(const LocalizedText& answer);

}  // namespace summand::lab
