#include "train/study/arm_summary.hpp"

#include <algorithm>
#include <limits>

#include "lab/statistics/moments.hpp"

namespace summand::train {

namespace {

/// The median of tokens, where runs that never got there count as the longest.
std::optional<double> median_tokens(const std::vector<const StudyRow*>& rows, double share) {
  std::vector<double> tokens;
  for (const StudyRow* row : rows) {
    tokens.push_back(row->tokens_to(share).value_or(std::numeric_limits<double>::infinity()));
  }
  std::ranges::sort(tokens);
  const double middle = tokens[tokens.size() / 2], before = tokens[(tokens.size() - 1) / 2];
  if (middle == std::numeric_limits<double>::infinity()) return std::nullopt;
  return (middle + before) / 2;
}

ArmSummary summary_of(std::vector<const StudyRow*> rows) {
  ArmSummary summary{.task = rows.front()->task, .arm = rows.front()->arm, .rows = std::move(rows)};
  std::vector<double> left;
  for (const StudyRow* row : summary.rows) {
    left.push_back(row->left());
    summary.diverged += row->diverged ? 1 : 0;
    summary.stuck += row->left() > kStuck ? 1 : 0;
  }
  summary.left = lab::median(left);
  summary.tokens_to_half = median_tokens(summary.rows, 0.5);
  summary.tokens_to_most = median_tokens(summary.rows, 0.9);
  return summary;
}

}  // namespace

std::optional<double> ArmSummary::left_of(const std::string& stratum) const {
  double sum = 0;
  size_t count = 0;
  for (const StudyRow* row : rows) {
    const auto found = row->strata.find(stratum);
    if (found == row->strata.end()) continue;
    sum += found->second.excess / found->second.gap;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::vector<ArmSummary> summarise(const StudyPlan& plan, const std::vector<StudyRow>& rows) {
  std::vector<ArmSummary> summaries;
  for (const PlannedTask& task : plan.tasks) {
    for (const Arm& arm : plan.arms) {
      std::vector<const StudyRow*> of_arm;
      for (const StudyRow& row : rows) {
        if (row.task == task.name && row.arm == arm.name) of_arm.push_back(&row);
      }
      std::ranges::sort(of_arm, {}, &StudyRow::seed);
      if (!of_arm.empty()) summaries.push_back(summary_of(std::move(of_arm)));
    }
  }
  return summaries;
}

}  // namespace summand::train
