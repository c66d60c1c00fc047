#pragma once

#include <string>

#include "lab/results/experiment_result.hpp"
#include "lab/run/progress_of_run.hpp"

namespace summand::lab {

/// What a run tells a program while it goes on: JSON objects, one a line, each with its "event".
/// {"event": "progress", "share": 0.25, "ended": 3, "count": 31, "under_way": "clocks, spectrum", "titles": …}: titles
/// are those of the experiments under way, in both languages.
[[nodiscard]] std::string progress_line(const LaboratoryProgress& progress);

/// A line for each claim of an experiment that has ended: {"event": "verdict", "experiment", "claim", "says",
/// "observation", "inference", "conclusion", "reason", "number"}; texts are in both languages. The number is the
/// deciding one, with its null and positive control. The conclusion is null where there is none, or where it hangs on
/// claims of other experiments, which the report joins at the end. The experiment that tests whether adding loses
/// anything has one more line, with the short answer of the report's first page: {"event": "answer", "lead", "text"}.
[[nodiscard]] std::string verdict_lines(const ExperimentResult& result);

/// {"event": "finished", "page": "report/index.html"}
[[nodiscard]] std::string finished_line(const std::string& page);

}  // namespace summand::lab
