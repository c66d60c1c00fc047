// X1, X2: are the rows' inner products a few circles, each turned at its own pace, and do the paces form a ladder?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/compared.hpp"
#include "lab/experiments/clocks/beside_drawn.hpp"
#include "lab/experiments/clocks/clock_figures.hpp"
#include "lab/experiments/clocks/clock_settings.hpp"
#include "lab/experiments/clocks/clockwork.hpp"
#include "lab/experiments/clocks/drawn_clockworks.hpp"
#include "lab/experiments/clocks/ladder_rule.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/rows_set_apart.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/step_rotation.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace clocks {
namespace {

constexpr size_t kLeastColumns = 2;

constexpr NumberName kShare{"clocks", "circle_share"};
constexpr NumberName kPartShare{"clocks", "circle_share_in"};  // a family: of a part
constexpr NumberName kLeast{"clocks", "least_circle_share"};
constexpr NumberName kTurning{"clocks", "turning_share"};
constexpr NumberName kByTurns{"clocks", "turn_by_turn_share"};
constexpr NumberName kSlow{"clocks", "slow_share"};
constexpr NumberName kCount{"clocks", "circles"};
constexpr NumberName kSameKernelShare{"clocks", "circle_share_with"};  // a family: of a table with the same kernel
constexpr NumberName kBands{"clocks", "bands"};
constexpr NumberName kFiveBands{"clocks", "five_bands"};
constexpr NumberName kSkill{"clocks", "step_skill"};
constexpr NumberName kVariation{"clocks", "radius_variation"};
constexpr NumberName kDrift{"clocks", "phase_drift"};
constexpr NumberName kCoherence{"clocks", "coherence_length"};
constexpr NumberName kAngle{"clocks", "angle"};  // a family: of a plane

struct Own {
  PlacedRows rows;
  Clockwork clockwork;
};

void add_shares(Numbers& numbers, const Clockwork& own, const DrawnClockworks& drawn) {
  const auto whole = [](const Clockwork& one) { return one.whole.share; };
  numbers.add(strictly(Measured(kShare, own.whole.share, settings()), drawn, whole));
  const auto least = [](const Clockwork& one) { return one.least(); };
  numbers.add(strictly(Measured(kLeast, own.least(), settings()), drawn, least));
  const auto turning = [](const Clockwork& one) { return one.turning; };
  numbers.add(strictly(Measured(kTurning, own.turning, settings()), drawn, turning));
  const auto by_turns = [](const Clockwork& one) { return one.by_turns; };
  numbers.add(strictly(Measured(kByTurns, own.by_turns, settings()), drawn, by_turns));
  const auto slow = [](const Clockwork& one) { return one.whole.slow; };
  numbers.add(strictly(Measured(kSlow, own.whole.slow, settings()), drawn, slow));
  for (const auto& [part, share] : own.parts) {
    const auto of_part = [&](const Clockwork& one) { return one.parts.at(part); };
    const Words words = wording("clocks.parts." + part, settings());
    numbers.add(strictly(Measured(kPartShare, part, share, {{"part", words}}), drawn, of_part));
  }
  for (size_t kind = 0; kind < kSameKernels.size(); ++kind) {
    const auto& shares = drawn.same_kernel[kind];
    Measured number(kSameKernelShare, name_of(kSameKernels[kind]), median(shares),
                    {{"table", words_of(kSameKernels[kind])}, {"draws", shares.size()}});
    number.interval(range_of(shares));
    numbers.add(strictly(std::move(number), drawn, whole));
  }
}

/// What describes the rotation and the spectrum, beside a random walk and as many circles as are planted.
void add_descriptions(Numbers& numbers, const Clockwork& own, const DrawnClockworks& drawn) {
  const Compared<Clockwork> compared{
      .own = own,
      .nulls = drawn.walks,
      .control = drawn.most.front(),
      .of_null = words_of_median(Surrogate::random_walk, drawn.walks.size()),
      .of_control =
          wording("clocks.one_control", settings_with({{"circles", drawn.most.front().whole.circles.size()}}))};
  numbers.add(compared.number(kCount, circles_in));
  numbers.add(compared.number(
      kBands, [](const Clockwork& one) { return one.bands; }, settings()));
  numbers.add(compared.number(
      kFiveBands, [](const Clockwork& one) { return one.five_bands; }, settings()));
  const Fills in{{"components", own.components}, {"stretches", kStretches}};
  numbers.add(compared.number(
      kSkill, [](const Clockwork& one) { return one.skill; }, in));
  numbers.add(compared.number(
      kVariation, [](const Clockwork& one) { return one.variation; }, in));
  numbers.add(compared.number(
      kDrift, [](const Clockwork& one) { return one.drift; }, in));
  numbers.add(compared.number(
      kCoherence, [](const Clockwork& one) { return one.coherence; }, settings()));
  for (size_t plane = 0; plane < own.angles.size(); ++plane) {
    numbers.add(compared.number(kAngle, std::to_string(plane + 1),
                                [&](const Clockwork& one) { return one.angle(plane); },
                                {{"plane", plane + 1}, {"planes", own.angles.size()}}));
  }
}

void add_remarks(Findings& findings, const Own& own, const DrawnClockworks& drawn,
                 const std::vector<size_t>& left_out) {
  for (const auto& circle : own.clockwork.whole.circles) {
    const auto& plane = circle.plane;
    findings.remarks.push_back(wording("clocks.circle", {{"degrees", plane.pace * 180 / std::numbers::pi},
                                                         {"angle", plane.angle * 180 / std::numbers::pi},
                                                         {"turns", plane.turns},
                                                         {"line", circle.line},
                                                         {"share", plane.share},
                                                         {"variation", plane.radius_variation},
                                                         {"drift", plane.drift},
                                                         {"coherence", coherence_length(plane, own.rows.at)},
                                                         {"own", circle.own}}));
  }
  findings.remarks.push_back(wording("clocks.left_out_rows", {{"rows", list_of(left_out)}}));
  findings.remarks.push_back(wording("clocks.clipped", {{"clipped_percent", 100 * drawn.clipped}}));
  const double width = static_cast<double>(own.rows.rows.cols());
  findings.remarks.push_back(
      wording("clocks.ratios", {{"optimum", kOptimum}, {"sinusoid", std::pow(10000, 2 / width)}, {"width", width}}));
}

Findings run_clocks(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  const auto left_out = rows_set_apart(table);
  Own own{.rows = placed_rows(table, left_out), .clockwork = {}};
  auto gap = lacking(own.rows.rows, 1, kLeastColumns);
  if (own.rows.at.size() < circle_rule::kLeastRows) {
    gap = wording("clocks.gaps.rows",
                  {{"least", circle_rule::kLeastRows}, {"left_out", list_of(left_out)}, {"rows", table.rows()}});
  }
  if (gap) {
    for (const char* claim : {"X1", "X2"}) findings.gaps[claim] = *gap;
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(wording("clocks.left_out", {{"few", kQuick.draws},
                                                            {"many", kFull.draws},
                                                            {"few_resamplings", kQuick.resamplings},
                                                            {"many_resamplings", kFull.resamplings}}));
  }
  own.clockwork = clockwork_of(own.rows, 0);
  const size_t components = own.clockwork.components;
  const auto drawn = drawn_clockworks(own.rows, components, size_of(conditions).draws, conditions);
  add_shares(findings.numbers["X1"], own.clockwork, drawn);
  add_descriptions(findings.numbers["X1"], own.clockwork, drawn);
  add_ladder(findings.numbers["X2"], own.clockwork, own.rows, drawn, conditions);
  add_remarks(findings, own, drawn, left_out);
  const StepRotation rotation(own.rows, circle_rule::kMostComponents);
  const auto planes = rotation.planes(components);
  findings.figures = plane_figures(planes, own.rows.at);
  findings.figures.insert(findings.figures.begin(),
                          spectrum_figure(own.rows, own.clockwork.whole, drawn.walk, drawn.planted));
  findings.figures.push_back(dials_figure(rotation, planes, own.rows));
  findings.figures.push_back(rebuilt_figure(rotation, planes, own.rows));
  conditions.progress(1);
  return findings;
}

/// What keeps a table without circles from failing: planes that go round in every part, more than any null has, whether
/// they are alone at their frequency or not, steadily or turn by turn; and one so slow that it may be a circle.
std::optional<std::string> what_may_be_circles(const Numbers& numbers) {
  for (const NumberName& share : {kTurning, kByTurns}) {
    if (numbers.value(share) >= circle_rule::kMostOf && numbers.value(share) > numbers.null(share)) return share.name;
  }
  if (numbers.value(kSlow) >= circle_rule::kMostOf) return kSlow.name;
  return {};
}

Verdict judge_circles(const Numbers& numbers) {
  const double share = numbers.value(kShare);
  const double least = numbers.value(kLeast);
  Verdict verdict;
  if (numbers.null(kShare) >= kLittle || numbers.control(kLeast) < circle_rule::kMostOf) {
    verdict.observation = Observation::cannot_be_told;
  } else if (least >= circle_rule::kMostOf) {
    verdict.observation = Observation::holds;
  } else {
    const bool has_few = share < kLittle && !what_may_be_circles(numbers);
    verdict.observation = has_few ? Observation::fails : Observation::cannot_be_told;
  }
  const bool by_part = least >= circle_rule::kMostOf || share >= kLittle;
  verdict.number = by_part ? kLeast.name : what_may_be_circles(numbers).value_or(kShare.name);
  double least_same = 1;
  double most_same = 0;
  for (const auto kind : kSameKernels) {
    const Number& same = numbers.at(kSameKernelShare.of(name_of(kind)));
    least_same = std::min(least_same, same.value);
    most_same = std::max(most_same, same.interval.value().high);
  }
  if (verdict.observation == Observation::holds) {
    if (least_same >= kSameShare * share) verdict.inference = Inference::does_not_follow;
    if (most_same < kLessShare * share) verdict.inference = Inference::follows;
  }
  Words coherent;
  if (numbers.value(kCount) > 0) {
    coherent = wording("clocks.reason.coherent", {{"coherence", numbers.value(kCoherence)}});
  }
  const bool all_found = verdict.observation == Observation::holds;
  verdict.reason =
      wording("clocks.reason.X1", {{"circles", numbers.value(kCount)},
                                   {"share_percent", 100 * share},
                                   {"least_percent", 100 * least},
                                   {"turning_percent", 100 * numbers.value(kTurning)},
                                   {"turning_null_percent", 100 * numbers.null(kTurning)},
                                   {"by_turns_percent", 100 * numbers.value(kByTurns)},
                                   {"by_turns_null_percent", 100 * numbers.null(kByTurns)},
                                   {"slow_percent", 100 * numbers.value(kSlow)},
                                   {"null_percent", 100 * numbers.null(kShare)},
                                   {"same_percent", 100 * most_same},
                                   {"coherent", coherent},
                                   {"more", all_found ? Words{} : wording("clocks.reason.more", settings())}});
  return verdict;
}

Words answer_clocks(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("X1")) return answer_of_gap(findings.gaps.at("X1"));
  const auto& circles = findings.numbers.at("X1");
  const auto& ladder = findings.numbers.at("X2");
  const auto name_of_observation = [](Observation observation) {
    return observation == Observation::holds ? "holds" : observation == Observation::fails ? "fails" : "not_told";
  };
  const Words first = wording(std::string("clocks.answer.X1.") + name_of_observation(verdicts.at("X1").observation),
                              {{"circles", circles.value(kCount)},
                               {"share_percent", 100 * circles.value(kShare)},
                               {"least_percent", 100 * circles.value(kLeast)},
                               {"turning_percent", 100 * circles.value(kTurning)},
                               {"by_turns_percent", 100 * circles.value(kByTurns)},
                               {"coherence", circles.value(kCoherence)}});
  if (!was_asked(ladder))
    return wording("clocks.answer.no_ladder", {{"first", first}, {"rungs", ladder_rule::kLeastRungs}});
  return wording(std::string("clocks.answer.X2.") + name_of_observation(verdicts.at("X2").observation),
                 {{"first", first},
                  {"ratios", words_of_ratios(ladder)},
                  {"p", p_of_ladder(ladder)},
                  {"parts_p", p_of_parts(ladder)}});
}

}  // namespace
}  // namespace clocks

Experiment clocks_experiment() {
  using namespace clocks;
  Experiment experiment = described_experiment("clocks", settings());
  experiment.effort = 25;
  experiment.rules = {described_rule("clocks", "X1", judge_circles, settings()),
                      described_rule("clocks", "X2", judge_ladder, settings())};
  experiment.run = run_clocks;
  experiment.answer = answer_clocks;
  return experiment;
}

}  // namespace summand::lab
