#pragma once

#include <string>

#include "lab/results/experiment_result.hpp"
#include "lab/run/progress_of_run.hpp"

namespace summand::lab {

/// What a run tells a program while it goes on: JSON objects, one a line, each with its "event".
/// {"event": "progress", "share": 0.25, "ended": 3, "count": 31, "under_way": "clocks, spectrum"}
[[nodiscard]] std::string progress_line(const LaboratoryProgress& progress);

/// A line for each claim of an experiment that has ended: {"event": "verdict", "experiment", "claim", "says",
/// "observation", "inference", "reason"}; texts are in both languages. An observation is not the claim's last word:
/// what its document concludes may hang on other claims, which the report joins at the end.
[[nodiscard]] std::string verdict_lines(const ExperimentResult& result);

/// {"event": "finished", "page": "report/index.html"}
[[nodiscard]] std::string finished_line(const std::string& page);

}  // namespace summand::lab
