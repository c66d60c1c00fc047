#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "train/study/study_plan.hpp"
#include "train/study/study_rows.hpp"

namespace summand::train {

/// All runs of an arm on a task.
struct ArmSummary {
  std::string task, arm;
  std::vector<const StudyRow*> rows;  ///< by seed
  double left = 0;                    ///< median share of the gap that is left
  size_t stuck = 0;                   ///< runs that left more than half of the gap, or diverged
  size_t diverged = 0;
  std::optional<double> tokens_to_half = {}, tokens_to_most = {};  ///< medians for 50 % and 90 %; none if half never do

  /// Of a stratum: the mean share of its gap that is left; none if no run has it.
  [[nodiscard]] std::optional<double> left_of(const std::string& stratum) const;
};

inline constexpr double kStuck = 0.5;  // a share of the gap

/// In the plan's order, tasks and arms without runs left out. @param rows  outlive the summaries
[[nodiscard]] std::vector<ArmSummary> summarise(const StudyPlan& plan, const std::vector<StudyRow>& rows);

}  // namespace summand::train
