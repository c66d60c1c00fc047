// X1, X2: are the rows' inner products a few circles, each turned at its own pace, and do the paces form a ladder?
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/half_away_from_zero.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/clocks/clock_figures.hpp"
#include "lab/experiments/clocks/clock_settings.hpp"
#include "lab/experiments/clocks/clockwork.hpp"
#include "lab/experiments/clocks/drawn_clockworks.hpp"
#include "lab/experiments/clocks/extremes.hpp"
#include "lab/experiments/clocks/ladder_rule.hpp"
#include "lab/experiments/clocks/turning_as_one.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/rows_set_apart.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/turning_plane.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace clocks {
namespace {

constexpr size_t kLeastColumns = 2;

constexpr NumberName kShare{"clocks", "circle_share"};
constexpr NumberName kPartShare{"clocks", "circle_share_in"};  // a family: of half, or of a part by itself
constexpr NumberName kFitted{"clocks", "fitted_share"};
constexpr NumberName kMotion{"clocks", "steps_by_distance"};
constexpr NumberName kCount{"clocks", "circles"};
constexpr NumberName kCoherence{"clocks", "coherence_length"};
constexpr NumberName kPace{"clocks", "pace"};  // a family: of a circle

struct Own {
  PlacedRows rows;
  Clockwork clockwork;
};

void add_shares(Numbers& numbers, const Clockwork& own, const DrawnClockworks& drawn) {
  const auto whole = [](const Clockwork& one) { return one.whole.share(); };
  numbers.add(with_extremes(NumberBuilder(kShare, own.whole.share(), settings()), drawn, whole));
  const auto add_part = [&](const std::string& part, double value, const auto& of) {
    numbers.add(with_extremes(
        NumberBuilder(kPartShare, part, value, {{"part", localize("clocks.parts." + part, settings())}}), drawn, of));
  };
  add_part("first_half", own.whole.held_out[0], [](const Clockwork& one) { return one.whole.held_out[0]; });
  add_part("second_half", own.whole.held_out[1], [](const Clockwork& one) { return one.whole.held_out[1]; });
  for (const auto& [name, circles] : own.parts) {
    add_part(name, circles.share(), [&](const Clockwork& one) { return one.parts.at(name).share(); });
  }
  const auto fitted = [](const Clockwork& one) { return one.whole.fitted_share; };
  numbers.add(with_extremes(NumberBuilder(kFitted, own.whole.fitted_share, settings()), drawn, fitted));
}

/// The null is Gaussian tables with the steps' lag kernel; the control is the sinusoid, which is one motion.
void add_motion(Numbers& numbers, const Table& table, const std::vector<size_t>& left_out, const PlacedRows& rows,
                const Conditions& conditions) {
  const auto own = turning_as_one(rows, "clocks: steps", conditions);
  const PlacedRows sine = placed_rows(sinusoid_like(table), left_out);
  const double of_sine = share_by_distance(squared_distances(steps_off_their_line(sine)));
  const Estimate gaussian = median_estimate(own.gaussian[0]);
  numbers.add(NumberBuilder(kMotion, own.own[0], settings())
                  .null(gaussian, median_of_draws(words_of(SameKernel::gaussian), own.gaussian[0].size()))
                  .control(of_sine, words_of_sinusoid()));
}

/// What describes the circles; the null is a random walk, the control as many planted circles.
void add_descriptions(Numbers& numbers, const Clockwork& own, const DrawnClockworks& drawn) {
  const MeasuredWithNullAndControl<Clockwork> compared{
      .own = own,
      .nulls = drawn.walks,
      .control = drawn.most.front(),
      .of_null = words_of_median(Surrogate::random_walk, drawn.walks.size()),
      .of_control =
          localize("clocks.one_control", settings_with({{"circles", drawn.most.front().whole.circles.size()}}))};
  numbers.add(compared.number(kCount, circles_in));
  numbers.add(compared.number(
      kCoherence, [](const Clockwork& one) { return one.coherence; }, settings()));
  for (size_t circle = 0; circle < own.whole.circles.size(); ++circle) {
    numbers.add(compared.number(kPace, std::to_string(circle + 1),
                                [&](const Clockwork& one) { return one.pace(circle); },
                                {{"circle", circle + 1}, {"circles", own.whole.circles.size()}}));
  }
}

/// "2.25°, 6.74°", or "none".
LocalizedText listed_paces(const Circles& circles) {
  if (circles.circles.empty()) return localize("clocks.no_paces");
  std::vector<std::string> texts;
  for (const auto& circle : circles.circles)
    texts.push_back(fmt::format("{:.3g}°", HalfAwayFromZero{circle.pace * kDegrees}));
  return listed(texts);
}

void add_remarks(Findings& findings, const Own& own, const std::vector<size_t>& left_out) {
  for (const auto& circle : own.clockwork.whole.circles) {
    findings.remarks.push_back(localize("clocks.circle", {{"degrees", circle.pace * kDegrees},
                                                          {"turns", circle.turns},
                                                          {"share", circle.share},
                                                          {"variation", circle.radius_variation},
                                                          {"coherence", coherence_length(circle, own.rows.at)}}));
  }
  for (const auto& [part, circles] : own.clockwork.parts) {
    findings.remarks.push_back(
        localize("clocks.circles_in_part", {{"part", localize("clocks.parts." + part, settings())},
                                            {"paces", listed_paces(circles)},
                                            {"share_percent", 100 * circles.share()}}));
  }
  findings.remarks.push_back(localize("clocks.left_out_rows", {{"rows", list_of(left_out)}}));
  const double width = static_cast<double>(own.rows.rows.cols());
  findings.remarks.push_back(
      localize("clocks.ratios", {{"optimum", kOptimum}, {"sinusoid", std::pow(10000, 2 / width)}, {"width", width}}));
}

Findings run_clocks(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  const auto left_out = rows_set_apart(table);
  Own own{.rows = placed_rows(table, left_out), .clockwork = {}};
  auto gap = lacking(own.rows.rows, 1, kLeastColumns);
  if (own.rows.at.size() < circle_rule::kLeastRows) {
    gap = localize("clocks.gaps.rows",
                   {{"least", circle_rule::kLeastRows}, {"left_out", list_of(left_out)}, {"rows", table.rows()}});
  }
  if (gap) {
    for (const char* claim : {"X1", "X2"}) findings.gaps[claim] = *gap;
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(localize("clocks.left_out", {{"few", kQuick.draws},
                                                             {"many", kFull.draws},
                                                             {"few_kernels", kQuick.kernels},
                                                             {"many_kernels", kFull.kernels},
                                                             {"few_resamplings", kQuick.resamplings},
                                                             {"many_resamplings", kFull.resamplings}}));
  }
  own.clockwork = clockwork_of(own.rows);
  const auto drawn = drawn_clockworks(own.rows, size_of(conditions).draws, conditions);
  auto& numbers = findings.numbers["X1"];
  add_shares(numbers, own.clockwork, drawn);
  add_motion(numbers, table, left_out, own.rows, conditions);
  add_descriptions(numbers, own.clockwork, drawn);
  add_ladder(findings.numbers["X2"], own.clockwork, own.rows, drawn, conditions);
  add_remarks(findings, own, left_out);
  const auto planes = planes_of(own.rows, kShownShare);
  findings.figures.push_back(spectrum_figure(own.rows, own.clockwork.whole, drawn.walk, drawn.planted));
  if (!planes.empty()) {
    for (auto& figure : plane_figures(planes, own.rows.at)) findings.figures.push_back(std::move(figure));
    findings.figures.push_back(dials_figure(planes, own.rows));
    findings.figures.push_back(rebuilt_figure(planes, own.rows));
  }
  conditions.progress(1);
  return findings;
}

bool rows_turn_as_one(const Numbers& numbers) {
  const Number& motion = numbers.at(kMotion);
  return turns_as_one(motion.value, *motion.null->interval);
}

Verdict judge_circles(const Numbers& numbers) {
  const double share = numbers.value(kShare);
  const bool is_one_motion = rows_turn_as_one(numbers);
  Verdict verdict;
  verdict.observation = Observation::cannot_be_told;
  verdict.number = kShare.name;
  if (numbers.null(kShare) < circle_rule::kLittle && numbers.control(kShare) >= circle_rule::kMostOf) {
    if (share >= circle_rule::kMostOf) verdict.observation = Observation::holds;
    if (share < circle_rule::kLittle && !is_one_motion) verdict.observation = Observation::fails;
    if (share < circle_rule::kMostOf && is_one_motion) verdict.number = kMotion.name;
  }
  const Number& motion = numbers.at(kMotion);
  verdict.reason = localize("clocks.reason.X1",
                            {{"first_percent", 100 * numbers.value(kPartShare.of("first_half"))},
                             {"second_percent", 100 * numbers.value(kPartShare.of("second_half"))},
                             {"null_percent", 100 * numbers.null(kShare)},
                             {"control_percent", 100 * numbers.control(kShare)},
                             {"motion", motion.value},
                             {"by_chance", motion.null->interval->high},
                             {"so", localize(is_one_motion ? "clocks.reason.as_one" : "clocks.reason.not_as_one")}});
  return verdict;
}

/// "2.25°, 6.74°, 20.6°", as X1's numbers have them.
LocalizedText paces_in_words(const Numbers& circles) {
  std::vector<std::string> texts;
  for (size_t i = 1; const Number* one = find_number(circles, kPace.of(std::to_string(i))); ++i) {
    texts.push_back(fmt::format("{:.3g}°", HalfAwayFromZero{one->value}));
  }
  return listed(texts);
}

/// The answer to X1: found, one motion whose circles lie too close, none, or neither.
LocalizedText answer_circles(const Numbers& circles, const Verdict& verdict) {
  const FormatArgs args{
      {"circles", circles.value(kCount)},
      {"share_percent", 100 * circles.value(kShare)},
      {"word", localize(circles.value(kCount) == 1 ? "clocks.answer.circle_holds" : "clocks.answer.circles_hold")},
      {"most_percent", 100 * circle_rule::kMostOf},
      {"paces", paces_in_words(circles)}};
  if (verdict.observation == Observation::holds) return localize("clocks.answer.X1.holds", args);
  if (rows_turn_as_one(circles)) return localize("clocks.answer.X1.one_motion", args);
  if (verdict.observation == Observation::fails) return localize("clocks.answer.X1.fails", args);
  return localize("clocks.answer.X1.not_told", args);
}

LocalizedText answer_clocks(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("X1")) return gap_answer(findings.gaps.at("X1"));
  const LocalizedText first = answer_circles(findings.numbers.at("X1"), verdicts.at("X1"));
  if (verdicts.at("X1").observation != Observation::holds) return first;
  const auto& ladder = findings.numbers.at("X2");
  if (!was_asked(ladder)) {
    return localize("clocks.answer.no_ladder", {{"first", first}, {"rungs", ladder_rule::kLeastRungs}});
  }
  const auto observation = verdicts.at("X2").observation;
  const std::string told = observation == Observation::holds   ? "holds"
                           : observation == Observation::fails ? "fails"
                                                               : "not_told";
  return localize("clocks.answer.X2." + told, {{"first", first},
                                               {"ratios", words_of_ratios(ladder)},
                                               {"p", p_of_ladder(ladder)},
                                               {"parts", words_of_parts(ladder)}});
}

}  // namespace
}  // namespace clocks

Experiment clocks_experiment() {
  using namespace clocks;
  Experiment experiment = described_experiment("clocks", settings());
  experiment.effort = 25;
  experiment.rules = {described_rule("clocks", "X1", judge_circles, settings()),
                      described_rule("clocks", "X2", judge_ladder, settings())};
  // Circles are one way to hold relative position: without them it may be held in another.
  experiment.rules.front().supporting_only = true;
  experiment.run = run_clocks;
  experiment.answer = answer_clocks;
  return experiment;
}

}  // namespace summand::lab
