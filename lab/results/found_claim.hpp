#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "lab/core/numbers.hpp"
#include "lab/results/experiment_result.hpp"

namespace summand::lab {

/// What a run has of one claim; nothing of it where no experiment of the run has the claim.
struct FoundClaim {
  const ExperimentResult* report = nullptr;
  const Numbers* numbers = nullptr;  ///< null where nothing was measured
  const Verdict* verdict = nullptr;  ///< null with the numbers

  [[nodiscard]] bool is(Observation observation) const {
    return verdict != nullptr && verdict->observation == observation;
  }
  /// Null where there is no such number.
  [[nodiscard]] const Number* number(std::string_view name) const {
    return numbers != nullptr ? find_number(*numbers, name) : nullptr;
  }
  /// Why nothing was measured; null where something was.
  [[nodiscard]] const LocalizedText* gap(const std::string& claim) const {
    if (report == nullptr) return nullptr;
    const auto at = report->findings.gaps.find(claim);
    return at != report->findings.gaps.end() ? &at->second : nullptr;
  }
};

[[nodiscard]] inline FoundClaim found_claim(std::span<const ExperimentResult> reports, const std::string& claim) {
  for (const auto& report : reports) {
    if (std::ranges::find(report.experiment->rules, claim, &Rule::claim) == report.experiment->rules.end()) continue;
    const auto numbers = report.findings.numbers.find(claim);
    const auto verdict = report.verdicts.find(claim);
    if (numbers == report.findings.numbers.end() || verdict == report.verdicts.end()) return {.report = &report};
    return {.report = &report, .numbers = &numbers->second, .verdict = &verdict->second};
  }
  return {};
}

}  // namespace summand::lab
