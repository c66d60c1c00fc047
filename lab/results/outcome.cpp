#include "lab/results/outcome.hpp"

#include <algorithm>

#include "lab/core/localize.hpp"
#include "lab/core/numbers.hpp"

namespace summand::lab {
namespace {

LocalizedText why_not_measured(const Claim& claim) {
  switch (claim.evidence) {
    case Evidence::checkpoint:
      return {"not in this run", "本次运行未包含"};
    case Evidence::trained_controls:
      if (claim.so_far.en.empty())
        return {"no checkpoint can tell; trained controls answer it", "检查点回答不了，由从头训练的对照模型回答"};
      return {"no checkpoint can tell; trained controls answer it. " + claim.so_far.en,
              "检查点回答不了，由从头训练的对照模型回答。" + claim.so_far.zh};
  }
  __builtin_unreachable();
}

void look_up(Outcome& outcome, const ExperimentResult& report, const Rule& rule) {
  const auto& id = outcome.claim->id;
  outcome.report = &report;
  outcome.rule = &rule;
  if (const auto numbers = report.findings.numbers.find(id); numbers != report.findings.numbers.end()) {
    outcome.numbers = &numbers->second;
  }
  if (const auto verdict = report.verdicts.find(id); verdict != report.verdicts.end()) {
    outcome.verdict = verdict->second;
  } else if (const auto gap = report.findings.gaps.find(id); gap != report.findings.gaps.end()) {
    outcome.verdict.reason = gap->second;
  }
}

Outcome outcome_of(const Claim& claim, std::span<const ExperimentResult> reports) {
  Outcome outcome{.claim = &claim, .verdict = {.reason = why_not_measured(claim)}};
  for (const auto& report : reports) {
    const auto& rules = report.experiment->rules;
    const auto rule = std::ranges::find(rules, claim.id, &Rule::claim);
    if (rule == rules.end()) continue;
    look_up(outcome, report, *rule);
    break;
  }
  return outcome;
}

/// Of what the teller's observation tells of the rule's conclusion.
Truth told(const Rule& rule, const Outcome& teller) {
  const bool holds = teller.verdict.observation == Observation::holds;
  if (!holds && teller.verdict.observation != Observation::fails) return Truth::open;
  if (!holds && teller.rule != nullptr && teller.rule->supporting_only) return Truth::open;
  return holds != rule.decision.true_if_fails ? Truth::true_here : Truth::false_here;
}

/// That the teller has no observation to tell by, and why; empty where it has one.
LocalizedText lacking(const Outcome& teller) {
  if (teller.report == nullptr) return localize("results.needs.not_run", {{"claim", teller.claim->id}});
  if (teller.verdict.observation != Observation::not_measured) return {};
  return localize("results.needs.not_measured", {{"claim", teller.claim->id}});
}

/// The conclusion's truth: what the verdict says of it; else what the claim says that the rule names. That something
/// else follows from what holds tells nothing of it.
void conclude(Outcome& outcome, std::span<const Outcome> all) {
  if (outcome.verdict.conclusion) {
    outcome.truth = *outcome.verdict.conclusion;
    outcome.told_by = outcome.claim;
    return;
  }
  // Where nothing could be measured, another claim's verdict says nothing of this one's conclusion.
  if (outcome.rule == nullptr || outcome.verdict.observation == Observation::not_measured) return;
  const auto teller =
      std::ranges::find_if(all, [&](const Outcome& one) { return one.claim->id == outcome.rule->decision.claim; });
  if (teller == all.end()) return;
  outcome.truth = told(*outcome.rule, *teller);
  outcome.told_by = teller->claim;
  outcome.needs = lacking(*teller);
}

/// How far what is true reaches, where the claim that tells it says so by layers: 3.3. Empty where it is so behind all.
LocalizedText extent_of(const Numbers* numbers) {
  const Number* first = numbers != nullptr ? find_number(*numbers, "up_to_layer") : nullptr;
  const Number* read = numbers != nullptr ? find_number(*numbers, "layers_reading_both") : nullptr;
  if (first == nullptr || read == nullptr || read->value >= first->control->value) return {};
  const bool is_beginning = first->value >= read->value;
  return localize(is_beginning ? "results.extent.up_to" : "results.extent.behind",
                  {{"read", read->value}, {"layers", first->control->value}});
}

void extend(Outcome& outcome, std::span<const Outcome> all) {
  if (outcome.truth != Truth::true_here || outcome.told_by == nullptr) return;
  const auto teller =
      std::ranges::find_if(all, [&](const Outcome& one) { return one.claim->id == outcome.told_by->id; });
  if (teller != all.end()) outcome.extent = extent_of(teller->numbers);
}

}  // namespace

const Number* Outcome::number() const {
  if (numbers == nullptr || numbers->all().empty()) return nullptr;
  return verdict.number.empty() ? &numbers->all().front() : &numbers->at(verdict.number);
}

std::vector<Outcome> outcomes(std::span<const ExperimentResult> reports, std::span<const Claim> claims) {
  std::vector<Outcome> all;
  for (const auto& claim : claims) all.push_back(outcome_of(claim, reports));
  for (auto& outcome : all) {
    conclude(outcome, all);
    extend(outcome, all);
  }
  return all;
}

}  // namespace summand::lab
