#include "train/study/comparison.hpp"

#include <algorithm>
#include <set>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/paired_difference.hpp"

namespace summand::train {

namespace {

/// What a contrast reads of a run; none if the run has no such number.
std::optional<double> value_of(const Contrast& contrast, const StudyRow& row) {
  if (!contrast.is_of_losses()) {
    if (row.curve.empty()) return std::nullopt;
    const CurvePoint& last = row.curve.back();
    return contrast.measure == Measure::distance_share ? last.distance_share : last.circle_share;
  }
  if (contrast.stratum.empty()) return row.left();
  const auto stratum = row.strata.find(contrast.stratum);
  if (stratum == row.strata.end() || row.diverged) return std::nullopt;
  return stratum->second.excess / stratum->second.gap;
}

constexpr double kLearnsNothing = 0.9;  // of the gap that is left

/// By how much longer one run trains for the final loss of the worse of both: positive if `one` is the worse. None if
/// the worse learns next to nothing, or the better was there before its first evaluation.
std::optional<double> more_tokens(const StudyRow& one, const StudyRow& other) {
  const bool worse = one.excess > other.excess;
  const StudyRow& better = worse ? other : one;
  const double most = std::max(one.excess, other.excess);
  if (better.curve.empty() || better.curve.front().excess <= most) return std::nullopt;
  const auto tokens = better.tokens_to(1 - most / better.gap);
  const bool learns = std::max(one.left(), other.left()) < kLearnsNothing;
  if (one.diverged || other.diverged || !learns || !tokens || *tokens <= 0) return std::nullopt;
  const double longer = static_cast<double>(one.tokens) / *tokens;
  return worse ? longer - 1 : 1 / longer - 1;
}

Comparison comparison_of(const StudyPlan& plan, const Contrast& contrast, const std::vector<StudyRow>& rows) {
  Comparison comparison;
  comparison.contrast = &contrast;
  std::vector<double> longer;
  for (const PlannedRun& run : runs_of(plan)) {
    if (run.task != contrast.task || run.arm != contrast.arm) continue;
    const StudyRow* one = find_row(rows, contrast.task, contrast.arm, run.seed);
    const StudyRow* other = find_row(rows, contrast.against_task, contrast.against, run.seed);
    if (one == nullptr || other == nullptr) continue;
    const auto value = value_of(contrast, *one), other_value = value_of(contrast, *other);
    if (!value || !other_value) continue;
    comparison.seeds.push_back(run.seed);
    comparison.differences.push_back(*value - *other_value);
    if (const auto tokens = more_tokens(*one, *other)) longer.push_back(*tokens);
  }
  const bool of_whole_excess = contrast.is_of_losses() && contrast.stratum.empty();
  if (of_whole_excess && contrast.task == contrast.against_task && longer.size() == comparison.seeds.size() &&
      !longer.empty()) {
    comparison.more_tokens = lab::median(longer);
  }
  return comparison;
}

/// Tasks on which an arm that was damaged on purpose came out worse.
std::set<std::string> seen_tasks(const StudyPlan& plan, const std::vector<Comparison>& comparisons) {
  std::set<std::string> tasks;
  for (const Comparison& one : comparisons) {
    if (one.contrast->family == kAssay && plan.arm(one.contrast->arm).misread > 0 &&
        one.judgement.verdict == StudyVerdict::hurts) {
      tasks.insert(one.contrast->task);
    }
  }
  return tasks;
}

}  // namespace

std::string_view Comparison::verdict_word() const {
  if (!is_of_losses() && judgement.verdict == StudyVerdict::hurts) return "larger";
  if (!is_of_losses() && judgement.verdict == StudyVerdict::helps) return "smaller";
  return model::name_of(judgement.verdict);
}

std::vector<Differences> differences_of(const std::vector<Comparison>& comparisons, std::string_view family) {
  std::vector<Differences> all;
  for (const Comparison& one : comparisons) {
    if (one.contrast->family == family) all.push_back({.values = one.differences, .margin = one.contrast->margin});
  }
  return all;
}

std::vector<Comparison> compare(const StudyPlan& plan, const std::vector<StudyRow>& rows) {
  std::vector<Comparison> comparisons;
  std::set<std::string> families;
  for (const Contrast& contrast : plan.contrasts) {
    Comparison comparison = comparison_of(plan, contrast, rows);
    if (comparison.differences.size() < 2) continue;
    const lab::PairedDifference difference(comparison.differences);
    comparison.mean = difference.mean();
    comparison.deviation = difference.deviation();
    comparison.interval = difference.interval(1 - plan.level);
    comparison.narrower = difference.interval(1 - 2 * plan.level);
    comparisons.push_back(std::move(comparison));
    families.insert(contrast.family);
  }
  for (const std::string& family : families) {
    const std::vector<Judgement> judgements = judge(differences_of(comparisons, family), plan.level);
    auto next = judgements.begin();
    for (Comparison& one : comparisons) {
      if (one.contrast->family == family) one.judgement = *next++;
    }
  }
  const std::set<std::string> seen = seen_tasks(plan, comparisons);
  for (Comparison& one : comparisons) {
    if (one.contrast->family == kAssay || one.judgement.verdict != StudyVerdict::equivalent) continue;
    one.unseen = one.is_of_losses() && !seen.contains(one.contrast->task);
    if (one.unseen) one.judgement.verdict = StudyVerdict::inconclusive;
  }
  return comparisons;
}

}  // namespace summand::train
