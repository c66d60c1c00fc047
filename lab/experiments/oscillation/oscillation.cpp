// E6, E7: do the component curves look like sinusoids, and is that evidence of relative position?
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/oscillation/wave_figures.hpp"
#include "lab/experiments/oscillation/waves.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace oscillation {
namespace {

using Eigen::Index;

constexpr Index kFirstComponent = 9;  // document 002 draws components 1 to 9, then 10 to 18
constexpr Index kLastComponent = 18;
constexpr double kLooksLike = 0.7;
constexpr double kDoesNot = 0.4;
constexpr auto kBlock = static_cast<size_t>(kLeastPart);  // of neighbouring rows, which intervals draw anew

constexpr size_t kLeastWaveRows = 2 * kBlock;

/// The two claims, and the components that they are about.
struct ClaimedRange {
  const char* claim;
  ComponentRange components;
};
constexpr std::array<ClaimedRange, 2> kClaimed{
    {{"E6", {0, kFirstComponent}}, {"E7", {kFirstComponent, kLastComponent}}}};

/// How many draws of white noise and of random walks, and of rows for intervals.
struct Sizes {
  size_t draws = 19;
  size_t resamplings = 500;
};
constexpr Sizes kFull{};
constexpr Sizes kQuick{.draws = 7, .resamplings = 200};

constexpr NumberName kWaves{"oscillation", "waves"};
constexpr NumberName kSinusoid{"oscillation", "sinusoid"};
constexpr NumberName kWalk{"oscillation", "random_walk"};
constexpr NumberName kOneFrequency{"oscillation", "one_frequency"};
constexpr NumberName kOneWay{"oscillation", "one_way"};
constexpr NumberName kRepeating{"oscillation", "repeating"};
constexpr NumberName kEarly{"oscillation", "early"};
constexpr NumberName kLate{"oscillation", "late"};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"first", kFirstComponent}, {"last", kLastComponent}, {"cycles", kCyclesAtATime}, {"looks", kLooksLike},
          {"does_not", kDoesNot},     {"block", kBlock},        {"short", kShortSequence}};
}

/// What is read off the waves of one table: six numbers of each claim's components, then each component's own.
enum Reading : size_t { waves, one_frequency, one_way, repeating, early, late, kReadings };

constexpr size_t reading_index(size_t claimed, Reading reading) {
  return claimed * kReadings + reading;
}
constexpr size_t kOfComponents = reading_index(kClaimed.size(), waves);

/// Rows at positions that a schedule of short sequences trains always, and at the others.
struct Halves {
  std::vector<size_t> early;
  std::vector<size_t> late;

  explicit Halves(const std::vector<size_t>& at) {
    for (size_t row = 0; row < at.size(); ++row) {
      (at[row] < static_cast<size_t>(kShortSequence) ? early : late).push_back(row);
    }
  }
  [[nodiscard]] bool both() const { return std::min(early.size(), late.size()) >= kBlock; }
};

std::vector<double> readings_of(const ComponentWaves& waves) {
  const Halves halves(waves.places());
  std::vector<double> readings;
  for (const auto& [claim, components] : kClaimed) {
    readings.insert(readings.end(),
                    {waves.explained(components), waves.explained_by_one(components),
                     waves.explained_one_way(components), waves.repeating(components),
                     waves.explained(components, halves.early), waves.explained(components, halves.late)});
  }
  for (Index c = 0; c < kLastComponent; ++c) readings.push_back(waves.explained({c, c + 1}));
  return readings;
}

std::vector<double> readings_of_rows(const PlacedRows& rows) {
  return readings_of(ComponentWaves(rows, static_cast<size_t>(kLastComponent)));
}

/// A table's waves, and what is read off them.
struct Measurement {
  ComponentWaves waves;
  std::vector<double> readings;
};

Measurement measured(const PlacedRows& rows) {
  ComponentWaves waves(rows, static_cast<size_t>(kLastComponent));
  auto readings = readings_of(waves);
  return {.waves = std::move(waves), .readings = std::move(readings)};
}

/// Medians over draws of a reference table, reading by reading. @return [readings]
std::vector<double> median_readings_of(Surrogate surrogate, const PlacedRows& like, size_t draws,
                                       const Conditions& conditions) {
  const auto all = drawn_from(surrogate, like.rows, "oscillation", draws, conditions,
                              [&](const Table& rows) { return readings_of_rows({.rows = rows, .at = like.at}); });
  std::vector<double> middle;
  for (size_t i = 0; i < all.front().size(); ++i) {
    std::vector<double> values;
    for (const auto& one : all) values.push_back(one[i]);
    middle.push_back(median(values));
  }
  return middle;
}

/// The table without rows of outlying norm, which the claims are judged by, and its references.
struct Tables {
  Measurement own;
  Measurement sine;
  std::vector<double> white;  ///< readings
  std::vector<double> walk;
};

LocalizedText words_of_components(const ComponentRange& range) {
  return localize("oscillation.components", {{"from", range.from + 1}, {"to", range.to}});
}

/// What the labels of a claim's numbers say.
FormatArgs labels_of(const ComponentRange& range) {
  FormatArgs args = settings();
  args.emplace_back("components", words_of_components(range));
  return args;
}

/// The null is white noise, which has no waves; the control is the sinusoid, which is nothing else.
NumberBuilder with_references(NumberBuilder number, const Tables& tables, size_t place, const Sizes& sizes) {
  return number.null(tables.white[place], words_of_median(Surrogate::white_noise, sizes.draws))
      .control(tables.sine.readings[place], words_of_sinusoid());
}

Numbers numbers_of(size_t claimed, const Tables& tables, const Sizes& sizes, const Conditions& conditions) {
  const ComponentRange& range = kClaimed[claimed].components;
  const FormatArgs of_range = labels_of(range);
  const auto interval_of = [&](const ComponentWaves& waves, const char* name) {
    return waves.interval(range, kBlock,
                          {.seed = conditions.seed,
                           .name = std::string("oscillation: blocks ") + name,
                           .count = sizes.resamplings,
                           .threads = thread_count(conditions)});
  };
  Numbers numbers;
  const auto add = [&](const NumberName& name, Reading reading, std::optional<Interval> interval = {}) {
    const size_t place = reading_index(claimed, reading);
    NumberBuilder number = with_references({name, tables.own.readings[place], of_range}, tables, place, sizes);
    if (interval) number.interval(*interval);
    numbers.add(number);
  };
  add(kWaves, waves, interval_of(tables.own.waves, "own"));
  const size_t place = reading_index(claimed, waves);
  numbers.add(NumberBuilder(kSinusoid, tables.sine.readings[place], of_range)
                  .interval(interval_of(tables.sine.waves, "sinusoid"))
                  .null(tables.white[place], words_of_median(Surrogate::white_noise, sizes.draws))
                  .control(1, localize("oscillation.all_sinusoids")));
  FormatArgs of_walk = of_range;
  of_walk.emplace_back("draws", sizes.draws);
  numbers.add(with_references({kWalk, tables.walk[place], of_walk}, tables, place, sizes));
  add(kOneFrequency, one_frequency);
  add(kOneWay, one_way);
  add(kRepeating, repeating);
  if (Halves(tables.own.waves.places()).both()) {
    add(kEarly, early);
    add(kLate, late);
  }
  return numbers;
}

/// What other choices of rows have.
void add_other_rows(const Table& table, const Tables& tables, const Sizes& sizes, Findings& findings) {
  const size_t first[]{0};
  const auto add = [&](const std::string& name, const PlacedRows& rows) {
    const auto readings = readings_of_rows(rows);
    for (size_t i = 0; i < kClaimed.size(); ++i) {
      const size_t place = reading_index(i, waves);
      FormatArgs args = labels_of(kClaimed[i].components);
      args.emplace_back("rows", localize("oscillation.rows." + name));
      findings.numbers[kClaimed[i].claim].add(with_references(
          {kWaves.of(name), localize("oscillation.numbers.other_rows", args), readings[place]}, tables, place, sizes));
    }
  };
  add("all", placed_rows(table));
  add("without_row_0", placed_rows(table, first));
}

/// Each component's reading.
std::vector<double> of_components(const std::vector<double>& readings) {
  return {readings.begin() + kOfComponents, readings.end()};
}
Figure r2_figure(const Tables& tables) {
  return shares_figure({{series_of_table(), of_components(tables.own.readings)},
                        {series_of_sinusoid(), of_components(tables.sine.readings)},
                        {series_of(Surrogate::random_walk), of_components(tables.walk)},
                        {series_of(Surrogate::white_noise), of_components(tables.white)}},
                       settings());
}

Findings run_oscillation(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  const auto left_out = outlying_rows(table);
  const PlacedRows rows = placed_rows(table, left_out);
  if (const auto gap = lacking(rows.rows, kLeastWaveRows, static_cast<size_t>(kLastComponent))) {
    for (const auto& one : kClaimed) findings.gaps[one.claim] = *gap;
    return findings;
  }
  const Sizes& sizes = conditions.quick ? kQuick : kFull;
  if (conditions.quick) {
    findings.left_out.push_back(localize("oscillation.left_out", {{"few", kQuick.draws},
                                                                  {"many", kFull.draws},
                                                                  {"few_resamplings", kQuick.resamplings},
                                                                  {"many_resamplings", kFull.resamplings}}));
  }
  auto own = measured(rows);
  auto sine = measured(placed_rows(sinusoid_like(table), left_out));
  conditions.progress(0.1);
  const auto drawn = [&](Surrogate one) { return median_readings_of(one, rows, sizes.draws, conditions); };
  const Tables tables{.own = std::move(own),
                      .sine = std::move(sine),
                      .white = drawn(Surrogate::white_noise),
                      .walk = drawn(Surrogate::random_walk)};
  for (size_t i = 0; i < kClaimed.size(); ++i) {
    findings.numbers[kClaimed[i].claim] = numbers_of(i, tables, sizes, conditions);
  }
  conditions.progress(0.8);
  add_other_rows(table, tables, sizes, findings);
  conditions.progress(0.9);
  findings.remarks.push_back(localize("oscillation.remark", {{"rows", list_of(left_out)}}));
  constexpr auto kAll = static_cast<size_t>(kLastComponent);
  findings.figures = {curves_figure(rows, kAll, settings(), "oscillation-curves"),
                      curves_figure(placed_rows(table), kAll, settings(), "oscillation-curves-all-rows"),
                      r2_figure(tables), amplitude_figure(table, kAll), heat_figure(table, kAll)};
  conditions.progress(1);
  return findings;
}

struct RuleInputs {
  double explained = 0;
  Interval interval;
  double one_way = 0;  ///< what curves that only rise or only fall explain
};

RuleInputs rule_inputs(const Number& explained, double one_way) {
  return {.explained = explained.value, .interval = *explained.interval, .one_way = one_way};
}

/// Whether sinusoids explain little of what curves leave that only rise or only fall: of a straight line, say.
bool hardly_oscillates(const RuleInputs& table) {
  return table.explained - table.one_way < kDoesNot * (1 - table.one_way);
}

Observation looks_like_sinusoids(const RuleInputs& table) {
  if (table.interval.low >= kLooksLike) {
    return hardly_oscillates(table) ? Observation::cannot_be_told : Observation::holds;
  }
  return table.interval.high < kDoesNot ? Observation::fails : Observation::cannot_be_told;
}

/// Whether random walks, which know nothing of relative position, have components that look so.
bool walks_look_alike(const Numbers& numbers) {
  return numbers.value(kWalk) >= kLooksLike;
}

FormatArgs said(const Numbers& numbers) {
  const Number& own = numbers.at(kWaves);
  FormatArgs args = settings();
  args.insert(args.end(), {{"own", own.value},
                           {"low", own.interval->low},
                           {"high", own.interval->high},
                           {"sinusoid", numbers.value(kSinusoid)},
                           {"one", numbers.value(kOneFrequency)},
                           {"one_way", numbers.value(kOneWay)},
                           {"walk", numbers.value(kWalk)}});
  return args;
}

Verdict judge_oscillation(const Numbers& numbers) {
  const RuleInputs own = rule_inputs(numbers.at(kWaves), numbers.value(kOneWay));
  const RuleInputs control = rule_inputs(numbers.at(kSinusoid), numbers.control(kOneWay));
  const bool controls_pass = looks_like_sinusoids(control) == Observation::holds && numbers.null(kWaves) < kDoesNot;
  Verdict verdict;
  verdict.observation = observation_if(controls_pass, looks_like_sinusoids(own));
  verdict.inference = walks_look_alike(numbers) ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = localize("oscillation.reason", said(numbers));
  return verdict;
}

/// Of the first components and of the next.
LocalizedText lead_of(Observation first, Observation later) {
  const auto lead = [](const char* name) { return localize(std::string("oscillation.answers.lead.") + name); };
  if (first == Observation::fails && later == Observation::fails) return lead("no");
  if (first == Observation::holds && later == Observation::holds) return lead("yes");
  return first == Observation::holds || later == Observation::holds ? lead("in_part") : lead("not_told");
}

LocalizedText answer_oscillation(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E6")) return gap_answer(findings.gaps.at("E6"));
  FormatArgs args;
  for (const auto& [place, value] : {std::pair{"own_percent", kWaves}, std::pair{"one_percent", kOneFrequency}}) {
    args.emplace_back(place, 100 * findings.numbers.at("E6").value(value));
  }
  args.emplace_back("later_percent", 100 * findings.numbers.at("E7").value(kWaves));
  args.emplace_back("walk_percent", 100 * findings.numbers.at("E6").value(kWalk));
  for (const auto& one : settings()) args.push_back(one);
  const bool proves_nothing = verdicts.at("E6").inference == Inference::does_not_follow;
  args.emplace_back("proves",
                    localize(proves_nothing ? "oscillation.answers.no_evidence" : "oscillation.answers.not_tested"));
  args.emplace_back("lead", lead_of(verdicts.at("E6").observation, verdicts.at("E7").observation));
  return localize("oscillation.answer", args);
}

/// Both claims have the same rule, of other components.
Rule rule_of(const char* claim) {
  Rule rule = described_rule("oscillation", "either", judge_oscillation, settings(), {.claim = "X1"});
  rule.claim = claim;
  return rule;
}

}  // namespace
}  // namespace oscillation

Experiment oscillation_experiment() {
  using namespace oscillation;
  Experiment experiment = described_experiment("oscillation", settings());
  experiment.effort = 14;
  for (const auto& one : kClaimed) experiment.rules.push_back(rule_of(one.claim));
  experiment.run = run_oscillation;
  experiment.answer = answer_oscillation;
  return experiment;
}

}  // namespace summand::lab
