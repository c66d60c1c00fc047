#include "train/study/study_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "train/study/study_figures.hpp"

namespace summand::train {

namespace {

constexpr size_t kSimulatedStudies = 200;

/// Comparisons of a family; those of one margin and measure can share an axis.
std::vector<const Comparison*> of_family(const std::vector<Comparison>& comparisons, const std::string& family) {
  std::vector<const Comparison*> found;
  for (const Comparison& one : comparisons) {
    if (one.contrast->family == family) found.push_back(&one);
  }
  return found;
}

std::vector<const ArmSummary*> of_task(const std::vector<ArmSummary>& arms, const std::string& task) {
  std::vector<const ArmSummary*> found;
  for (const ArmSummary& arm : arms) {
    if (arm.task == task) found.push_back(&arm);
  }
  return found;
}

/// Of a task's arms, those that the main question is about: of a plan without a primary question, all that are
/// compared.
std::vector<const ArmSummary*> main_arms(const StudyFindings& findings, const std::string& task) {
  const bool has_primary = findings.plan->has_primary();
  std::set<std::string> names;
  for (const Contrast& contrast : findings.plan->contrasts) {
    if (contrast.task != task || (has_primary && contrast.family != kPrimary && contrast.family != kAssay)) continue;
    names.insert(contrast.arm);
    names.insert(contrast.against);
  }
  std::vector<const ArmSummary*> arms = of_task(findings.arms, task);
  if (names.empty()) return arms;
  std::erase_if(arms, [&](const ArmSummary* arm) { return !names.contains(arm->arm); });
  return arms;
}

}  // namespace

StudyFindings find_in(const StudyPlan& plan, const std::vector<StudyRow>& rows) {
  StudyFindings findings;
  findings.plan = &plan;
  for (const PlannedRun& run : runs_of(plan)) {
    ++findings.planned;
    findings.runs += find_row(rows, run.task, run.arm, run.seed) != nullptr ? 1 : 0;
  }
  findings.comparisons = compare(plan, rows);
  findings.arms = summarise(plan, rows);
  const std::vector<Differences> primary = differences_of(findings.comparisons, kPrimary);
  if (!primary.empty()) findings.simulated = simulate_studies(primary, plan.level, kSimulatedStudies, 1);
  return findings;
}

std::vector<std::pair<std::string, std::string>> figures_of(const StudyFindings& findings) {
  std::vector<std::pair<std::string, std::string>> figures;
  std::set<std::string> drawn;
  for (const Contrast& contrast : findings.plan->contrasts) {
    if (!drawn.insert(contrast.family).second) continue;
    const auto comparisons = of_family(findings.comparisons, contrast.family);
    if (comparisons.empty()) continue;
    const std::string title = contrast.family == kPrimary ? findings.plan->question
                              : contrast.family == kAssay ? "Can the study see damage?"
                                                          : contrast.family;
    figures.emplace_back(contrast.family, forest_svg(title, comparisons, findings.plan->level));
  }
  for (const PlannedTask& task : findings.plan->tasks) {
    if (const auto arms = of_task(findings.arms, task.name); !arms.empty()) {
      figures.emplace_back("gap-" + task.name,
                           gap_svg(fmt::format("{}: what each arm leaves unlearned", task.name), arms));
      figures.emplace_back("curves-" + task.name, curves_svg(task.name, main_arms(findings, task.name)));
    }
  }
  return figures;
}

std::string comparison_line(const Comparison& one) {
  const std::string numbers = fmt::format("{:+.2f}{} [{:+.2f}, {:+.2f}]", one.shown(one.mean), one.unit(),
                                          one.shown(one.interval.low), one.shown(one.interval.high));
  return fmt::format("{}: {}, {}; {} seeds", one.contrast->name(), numbers, one.verdict_word(), one.seeds.size());
}

}  // namespace summand::train
