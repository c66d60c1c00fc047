#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/study/arm_summary.hpp"
#include "train/study/comparison.hpp"
#include "train/study/simulated_studies.hpp"

namespace summand::train {

/// All that the rows of a study say.
struct StudyFindings {
  const StudyPlan* plan = nullptr;
  size_t runs = 0, planned = 0;  ///< finished runs of the plan, and all of them
  std::vector<Comparison> comparisons;
  std::vector<ArmSummary> arms;
  std::optional<SimulatedStudies> simulated;  ///< of the primary contrasts
};

/// @param plan, rows  outlive the findings
[[nodiscard]] StudyFindings find_in(const StudyPlan& plan, const std::vector<StudyRow>& rows);

/// Figures as SVG by name: "primary", the forest of each family, "gap-TASK", "curves-TASK".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> figures_of(const StudyFindings& findings);

/// "combined: sum − gate  +0.12 % [−0.31, 0.55], equivalent; 12 seeds"
[[nodiscard]] std::string comparison_line(const Comparison& comparison);

}  // namespace summand::train
