#pragma once

#include <cstddef>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/results/experiment_result.hpp"
#include "lab/results/run_facts.hpp"

namespace summand::lab {

/// Experiments that an earlier run left in a report's folder, that the report lacks, and that ran otherwise than it.
struct NotShown {
  LocalizedText options;  ///< with which they are shown: "without --quick"; empty: other code or another compiler
  size_t experiments = 0;
  bool of_a_file = false;  ///< of experiments from files that this run did not name

  [[nodiscard]] bool by_other_code() const { return options.en.empty() && !of_a_file; }
};

/// A run of the laboratory on one subject, done and written.
struct FinishedRun {
  RunFacts facts;
  std::vector<ExperimentResult> reports;
  std::vector<NotShown> not_shown;
};

}  // namespace summand::lab
