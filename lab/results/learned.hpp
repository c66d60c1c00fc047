#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/results/experiment_result.hpp"

namespace summand::lab {

/// Something that the position table has learned, and the number that says so.
struct Learned {
  LocalizedText name;       ///< "A smooth path"
  LocalizedText words;      ///< in sentences, with the number and that of tables without it
  std::string claim;        ///< whose numbers say it: "0.9"
  std::string number;       ///< "continuity_5"
  bool is_verdict = false;  ///< whether it is what the claim says, so that its rule's calibration is of this
};

/// All that a run shows of it, the strongest first: circles that turn, one motion at every step, one motion over a few
/// steps, a path, a few directions. Each is said where the table has more of it than the random tables that its
/// experiment draws. Empty where nothing shows, and where nothing that would show it was run.
[[nodiscard]] std::vector<Learned> learned(std::span<const ExperimentResult> reports);

/// The experiments that would show something of it, the strongest first: names for --only.
[[nodiscard]] const std::vector<std::string>& experiments_of_table();

}  // namespace summand::lab
