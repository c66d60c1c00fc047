// X1, X2: are the rows' inner products a few circles, each turned at its own pace, and do the paces form a ladder?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/compared.hpp"
#include "lab/core/found.hpp"
#include "lab/experiments/clocks/clock_figures.hpp"
#include "lab/experiments/clocks/clockwork.hpp"
#include "lab/experiments/clocks/drawn_clockworks.hpp"
#include "lab/experiments/clocks/parts.hpp"
#include "lab/experiments/clocks/planted_circles.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
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
constexpr double kMostOf = 0.5;     // of the variance in circles, of the whole and of every part
constexpr double kLittle = 0.25;    // less than this is no line spectrum
constexpr double kSameShare = 0.9;  // of the own share: tables with the same lag kernel have as much
constexpr double kLessShare = 0.5;  // of the own share: none of them has as much
constexpr double kSure = 0.01;      // p, at the upper end of its interval
constexpr double kChance = 0.05;    // p, at its lower end, and in every part
constexpr double kOptimum = std::numbers::e;

constexpr NumberName kShare{"clocks", "circle_share"};
constexpr NumberName kPartShare{"clocks", "circle_share_in"};  // a family: of a part
constexpr NumberName kLeast{"clocks", "least_circle_share"};
constexpr NumberName kTurning{"clocks", "turning_share"};
constexpr NumberName kCount{"clocks", "circles"};
constexpr NumberName kSameKernelShare{"clocks", "circle_share_with"};  // a family: of a table with the same kernel
constexpr NumberName kBands{"clocks", "bands"};
constexpr NumberName kFiveBands{"clocks", "five_bands"};
constexpr NumberName kSkill{"clocks", "step_skill"};
constexpr NumberName kVariation{"clocks", "radius_variation"};
constexpr NumberName kDrift{"clocks", "phase_drift"};
constexpr NumberName kAngle{"clocks", "angle"};  // a family: of a plane

constexpr NumberName kRungs{"clocks", "rungs"};
constexpr NumberName kRatio{"clocks", "ratio"};
constexpr NumberName kLogSpread{"clocks", "log_ratio_spread"};
constexpr NumberName kPaceRatio{"clocks", "pace_ratio"};  // a family: of two neighbours
constexpr NumberName kPartRatio{"clocks", "ratio_in"};    // a family: of a part
constexpr NumberName kRatioP{"clocks", "equal_ratios_p"};
constexpr NumberName kPartsP{"clocks", "equal_ratios_p_of_parts"};
constexpr NumberName kAlone{"clocks", "circles_of_what_turns"};
constexpr NumberName kRungShare{"clocks", "least_rung_share"};

/// How much is drawn.
struct Size {
  size_t draws = 7;  ///< of every kind of null and of control
  size_t resamplings = 200;
};
constexpr Size kFull{};
constexpr Size kQuick{.draws = 2, .resamplings = 50};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// "4, 12, 48".
template <class Values>
Words listed(const Values& values) {
  return {fmt::format("{}", fmt::join(values, ", ")), fmt::format("{}", fmt::join(values, "、"))};
}

/// What the texts say of the constants.
Fills settings() {
  using namespace circle_rule;
  return {{"most_components", kMostComponents},
          {"turns", kLeastTurns},
          {"variation", kMostVariation},
          {"drift", kMostDrift},
          {"neighbourhood", kNeighbourhood},
          {"own", kLeastOwn},
          {"pace_stretches", kMostStretches},
          {"pace_change", kMostPaceChange},
          {"pace_variation", kMostPaceVariation},
          {"most_circles", kMostComponents / 2},
          {"difference_percent", 100 * kMostDifference},
          {"stretches", kStretches},
          {"short", kShortSequence},
          {"least_part", kLeastPartRows},
          {"energy_percent", 100 * kMostEnergy},
          {"named_bands", kNamedBands},
          {"lengths", listed(kSmoothLengths)},
          {"planted", listed(kPlantedCircles)},
          {"noise_percent", 100 * kPlantedNoise},
          {"pace_percent", 100 * kPlantedDrift},
          {"most_of", kMostOf},
          {"little", kLittle},
          {"same", kSameShare},
          {"less", kLessShare},
          {"rungs", kLeastRungs},
          {"ladders", kRandomLadders},
          {"sure", kSure},
          {"chance", kChance}};
}

/// "2.98, 3.05, 2.93".
Words listed_ratios(const std::vector<double>& ratios) {
  std::vector<std::string> texts;
  for (const double ratio : ratios) texts.push_back(fmt::format("{:.2f}", ratio));
  return listed(texts);
}

Fills with(Fills fills, const std::vector<Fill>& more) {
  fills.insert(fills.end(), more.begin(), more.end());
  return fills;
}

template <class Of>
std::vector<double> values_of(const std::vector<Clockwork>& draws, const Of& of) {
  std::vector<double> values;
  for (const auto& one : draws) values.push_back(of(one));
  return values;
}

Interval range_of(const std::vector<double>& values) {
  return {.low = std::ranges::min(values), .high = std::ranges::max(values)};
}

/// Beside the largest of the nulls and the least of the controls: the rules ask for all of them.
template <class Of>
Measured strictly(Measured number, const DrawnClockworks& drawn, const Of& of) {
  const auto nulls = range_of(values_of(drawn.nulls, of));
  const auto controls = range_of(values_of(drawn.controls, of));
  const auto text = [](const char* name, size_t draws) { return wording(name, with(settings(), {{"draws", draws}})); };
  return number.null(nulls.high, text("clocks.largest_of_nulls", drawn.nulls.size()), nulls)
      .control(controls.low, text("clocks.least_of_controls", drawn.controls.size()), controls);
}

double circles_in(const Clockwork& one) {
  return static_cast<double>(one.whole.circles.size());
}

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
          wording("clocks.one_control", with(settings(), {{"circles", drawn.most.front().whole.circles.size()}}))};
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
  for (size_t plane = 0; plane < own.angles.size(); ++plane) {
    numbers.add(compared.number(kAngle, std::to_string(plane + 1),
                                [&](const Clockwork& one) { return one.angle(plane); },
                                {{"plane", plane + 1}, {"planes", own.angles.size()}}));
  }
}

bool has_ladder(const Circles& circles) {
  return circles.circles.size() >= kLeastRungs;
}

/// What X2 asks of a table, and of every control.
struct Evenness {
  double high = 1;  ///< of p's interval
  double of_parts = 1;
};

bool is_even(const Evenness& of) {
  return of.high <= kSure && of.of_parts <= kChance;
}

Evenness evenness_of(const LadderReading& reading) {
  return {.high = reading.ratio_p.high, .of_parts = reading.most_p_of_parts()};
}

/// The control that passes the rule least: one without a ladder, one that does not pass, or the least sure one.
LadderReading least_sure(const std::vector<Clockwork>& controls, const PlacedRows& placed_alike, const Draws& draws) {
  LadderReading worst{.ratio_p = {.low = 0, .high = 0}};
  bool worst_passes = true;
  for (const auto& control : controls) {
    if (!has_ladder(control.whole)) return {.ratio_p = {.low = 1, .high = 1}};
    auto reading = ladder_reading(control.whole, placed_alike, draws);
    const bool passes = is_even(evenness_of(reading));
    const bool is_worse = passes == worst_passes ? reading.ratio_p.high >= worst.ratio_p.high : worst_passes;
    if (!is_worse) continue;
    worst = std::move(reading);
    worst_passes = passes;
  }
  return worst;
}

/// Beside random ladders of the same ends, and the planted one.
void add_ladder(Numbers& numbers, const Own& own, const DrawnClockworks& drawn, const Conditions& conditions) {
  const auto& circles = own.clockwork.whole;
  const auto most = range_of(values_of(drawn.most, circles_in));
  const Number rungs = strictly(Measured(kRungs, circles_in(own.clockwork)), drawn, circles_in)
                           .control(most.low, wording("clocks.least_of_most", {{"draws", drawn.most.size()}}), most);
  if (!has_ladder(circles)) {
    numbers.add(rungs);
    return;
  }
  const Draws draws{.seed = conditions.seed,
                    .name = "clocks: ladder",
                    .count = size_of(conditions).resamplings,
                    .threads = conditions.threads};
  const auto reading = ladder_reading(circles, own.rows, draws);
  const auto control = least_sure(drawn.most, own.rows, draws);
  const Words of_null = wording("clocks.random_ladders", settings());
  const Words of_control = wording("clocks.least_sure_control", with(settings(), {{"draws", drawn.most.size()}}));
  const Words same_ends = wording("clocks.same_ends");
  constexpr Interval kAnyP{.low = 0.025, .high = 0.975};
  numbers.add(Measured(kRatioP, reading.ladder.ratio_p, settings())
                  .interval(reading.ratio_p)
                  .null(0.5, of_null, kAnyP)
                  .control(control.ladder.ratio_p, of_control, control.ratio_p));
  numbers.add(Measured(kRatio, reading.ladder.ratio)
                  .interval(reading.ratio)
                  .null(reading.ladder.ratio, same_ends)
                  .control(control.ladder.ratio, of_control, control.ratio));
  for (size_t i = 0; i < reading.ratios.size(); ++i) {
    const auto& [value, interval] = reading.ratios[i];
    numbers.add(Measured(kPaceRatio, std::to_string(i + 1), value, {{"faster", i + 2}, {"slower", i + 1}})
                    .interval(interval)
                    .null(reading.ladder.ratio, same_ends)
                    .control(control.ladder.ratio, of_control, control.ratio));
  }
  for (const auto& [part, of_part] : reading.parts) {
    numbers.add(Measured(kPartRatio, part, of_part.ladder.ratio,
                         {{"part", wording("clocks.parts." + part, settings())},
                          {"ratios", listed_ratios(of_part.ratios)},
                          {"p", of_part.ladder.ratio_p}})
                    .null(reading.ladder.ratio, same_ends)
                    .control(control.ladder.ratio, of_control, control.ratio));
  }
  numbers.add(Measured(kLogSpread, reading.ladder.log_spread)
                  .interval(reading.log_spread)
                  .null(median(elements(reading.random)), of_null, middle_95_percent(elements(reading.random)))
                  .control(control.ladder.log_spread, of_control, control.log_spread));
  numbers.add(Measured(kPartsP, reading.most_p_of_parts(), settings())
                  .null(0.5, of_null, kAnyP)
                  .control(control.most_p_of_parts(), of_control));
  const auto alone = [](const Clockwork& one) { return one.alone(); };
  numbers.add(strictly(Measured(kAlone, own.clockwork.alone()), drawn, alone));
  const auto least = [](const Clockwork& one) { return one.least(); };
  numbers.add(strictly(Measured(kRungShare, own.clockwork.least(), settings()), drawn, least));
  numbers.add(rungs);
}

void add_remarks(Findings& findings, const Own& own, const DrawnClockworks& drawn,
                 const std::vector<size_t>& left_out) {
  for (const auto& circle : own.clockwork.whole.circles) {
    const auto& plane = circle.plane;
    findings.remarks.push_back(wording("clocks.circle", {{"degrees", plane.pace * 180 / std::numbers::pi},
                                                         {"turns", plane.turns},
                                                         {"line", circle.line},
                                                         {"share", plane.share},
                                                         {"variation", plane.radius_variation},
                                                         {"drift", plane.drift},
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
  add_ladder(findings.numbers["X2"], own, drawn, conditions);
  add_remarks(findings, own, drawn, left_out);
  const auto planes = StepRotation(own.rows, components).planes(components);
  findings.figures = plane_figures(planes, own.rows.at);
  findings.figures.insert(findings.figures.begin(),
                          spectrum_figure(own.rows, own.clockwork.whole, drawn.walk, drawn.planted));
  findings.figures.push_back(dials_figure(planes, own.rows.at));
  conditions.progress(1);
  return findings;
}

/// Planes that go round in every part, more than any null has, whether they are alone at their frequency or not.
bool has_much_that_turns(const Numbers& numbers) {
  return numbers.value(kTurning) >= kMostOf && numbers.value(kTurning) > numbers.null(kTurning);
}

Verdict judge_circles(const Numbers& numbers) {
  const double share = numbers.value(kShare);
  const double least = numbers.value(kLeast);
  Verdict verdict;
  if (numbers.null(kShare) >= kLittle || numbers.control(kLeast) < kMostOf) {
    verdict.observation = Observation::cannot_be_told;
  } else if (least >= kMostOf) {
    verdict.observation = Observation::holds;
  } else {
    const bool has_few = share < kLittle && !has_much_that_turns(numbers);
    verdict.observation = has_few ? Observation::fails : Observation::cannot_be_told;
  }
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
  verdict.reason = wording("clocks.reason.X1", {{"circles", numbers.value(kCount)},
                                                {"share_percent", 100 * share},
                                                {"least_percent", 100 * least},
                                                {"turning_percent", 100 * numbers.value(kTurning)},
                                                {"null_percent", 100 * numbers.null(kShare)},
                                                {"same_percent", 100 * most_same}});
  return verdict;
}

std::vector<const Number*> pace_ratios(const Numbers& numbers) {
  std::vector<const Number*> ratios;
  for (size_t i = 1; const Number* one = found(numbers, kPaceRatio.of(std::to_string(i))); ++i) ratios.push_back(one);
  return ratios;
}

/// From the smallest that one of the ratios can be to the largest.
Interval range_of_ratios(const Numbers& numbers) {
  Interval range = numbers.at(kRatio).interval.value();
  for (const Number* one : pace_ratios(numbers)) {
    range.low = std::min(range.low, one->interval->low);
    range.high = std::max(range.high, one->interval->high);
  }
  return range;
}

Words words_of_ratios(const Numbers& numbers) {
  std::vector<double> ratios;
  for (const Number* one : pace_ratios(numbers)) ratios.push_back(one->value);
  return listed_ratios(ratios);
}

Verdict judge_ladder(const Numbers& numbers) {
  Verdict verdict;
  verdict.observation = Observation::cannot_be_told;
  if (found(numbers, kRatio) == nullptr) {
    verdict.reason = wording("clocks.reason.few", {{"circles", numbers.value(kRungs)}, {"rungs", kLeastRungs}});
    return verdict;
  }
  const Interval p = numbers.at(kRatioP).interval.value();
  const Evenness own{.high = p.high, .of_parts = numbers.value(kPartsP)};
  const Evenness control{.high = numbers.at(kRatioP).control->interval.value_or(Interval{1, 1}).high,
                         .of_parts = numbers.control(kPartsP)};
  const bool all_told = numbers.value(kAlone) >= kSameShare && numbers.value(kRungShare) >= kMostOf;
  const bool control_passes =
      is_even(control) && numbers.control(kAlone) >= kSameShare && numbers.control(kRungShare) >= kMostOf;
  const Interval ratios = range_of_ratios(numbers);
  if (control_passes && all_told && is_even(own)) {
    verdict.observation = Observation::holds;
    verdict.inference =
        ratios.low <= kOptimum && kOptimum <= ratios.high ? Inference::not_tested : Inference::does_not_follow;
  } else if (control_passes && all_told && p.low > kChance) {
    verdict.observation = Observation::fails;
  }
  verdict.reason = wording("clocks.reason.X2", {{"ratios", words_of_ratios(numbers)},
                                                {"low", ratios.low},
                                                {"high", ratios.high},
                                                {"p", numbers.value(kRatioP)},
                                                {"p_low", p.low},
                                                {"p_high", p.high},
                                                {"parts_p", own.of_parts},
                                                {"alone_percent", 100 * numbers.value(kAlone)},
                                                {"optimum", kOptimum}});
  return verdict;
}

Words answer_clocks(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("X1")) return findings.gaps.at("X1");
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
                               {"skill", circles.value(kSkill)},
                               {"walk_skill", circles.null(kSkill)}});
  if (found(ladder, kRatio) == nullptr)
    return wording("clocks.answer.no_ladder", {{"first", first}, {"rungs", kLeastRungs}});
  return wording(std::string("clocks.answer.X2.") + name_of_observation(verdicts.at("X2").observation),
                 {{"first", first},
                  {"ratios", words_of_ratios(ladder)},
                  {"p", ladder.value(kRatioP)},
                  {"parts_p", ladder.value(kPartsP)}});
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
