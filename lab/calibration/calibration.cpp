#include "lab/calibration/calibration.hpp"

#include <algorithm>
#include <utility>

#include "lab/core/localize.hpp"
#include "lab/statistics/proportion.hpp"

namespace summand::lab {

namespace {

constexpr double kStable = 0.9;  // of the truths

size_t count_of(const VerdictCounts& counts, Observation observation) {
  switch (observation) {
    case Observation::holds:
      return counts.holds;
    case Observation::fails:
      return counts.fails;
    case Observation::cannot_be_told:
      return counts.cannot_be_told;
    case Observation::not_judged:
    case Observation::not_measured:
      return counts.not_measured;
  }
  __builtin_unreachable();
}

}  // namespace

void VerdictCounts::add(Observation observation) {
  switch (observation) {
    case Observation::holds:
      ++holds;
      return;
    case Observation::fails:
      ++fails;
      return;
    case Observation::cannot_be_told:
      ++cannot_be_told;
      return;
    case Observation::not_judged:
    case Observation::not_measured:
      ++not_measured;
      return;
  }
}

void VerdictCounts::add(const VerdictCounts& others) {
  holds += others.holds;
  fails += others.fails;
  cannot_be_told += others.cannot_be_told;
  not_measured += others.not_measured;
}

Interval Rate::interval() const {
  return wilson_proportion(seen, of);
}

std::optional<Rate> CalibratedClaim::rate(bool is_true, Observation observation, RunLength length) const {
  VerdictCounts counts;
  for (const auto& family : families) {
    if (family.is_true == is_true && family.judged(length)) counts.add(family.judged(length)->counts);
  }
  if (counts.total() == 0) return {};
  return Rate{.seen = count_of(counts, observation), .of = counts.total()};
}

std::optional<Rate> CalibratedClaim::stability(RunLength length) const {
  Rate all;
  for (const auto& family : families) {
    if (!family.judged(length)) continue;
    all.seen += family.judged(length)->stable.seen;
    all.of += family.judged(length)->stable.of;
  }
  if (all.of == 0) return {};
  return all;
}

const CalibratedClaim* Calibration::find(std::string_view claim) const {
  const auto found = std::ranges::find(claims, claim, &CalibratedClaim::claim);
  return found == claims.end() ? nullptr : &*found;
}

LocalizedText also_decides(const std::string& claim) {
  const std::string path = "calibration.also." + claim;
  return has_text(path) ? localize(path) : LocalizedText{};
}

bool is_stable_in_quick(const Calibration& calibration, std::string_view claim) {
  const CalibratedClaim* calibrated = calibration.find(claim);
  const auto stable = calibrated != nullptr ? calibrated->stability(RunLength::quick) : std::nullopt;
  return !stable || stable->value() >= kStable;
}

Verdict given_in_quick(Verdict verdict, const Calibration& calibration, std::string_view claim) {
  if (verdict.observation == Observation::not_measured || is_stable_in_quick(calibration, claim)) return verdict;
  // It has a reason of its own, which more draws need not change.
  if (verdict.observation == Observation::cannot_be_told) return verdict;
  const auto stable = calibration.find(claim)->stability(RunLength::quick);
  verdict.observation = Observation::cannot_be_told;
  verdict.inference = Inference::not_tested;
  verdict.reason = localize("calibration.quick_is_unstable",
                            {{"stable", stable->seen}, {"of", stable->of}, {"reason", verdict.reason}});
  return verdict;
}

}  // namespace summand::lab
