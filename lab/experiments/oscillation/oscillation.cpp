// E6, E7: do the component curves look like sinusoids, and is that evidence of relative position?
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/oscillation/wave_figures.hpp"
#include "lab/experiments/oscillation/waves.hpp"
#include "lab/nulls/beyond_kernel.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/nulls/same_kernel.hpp"
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

/// How many draws of each null: of the table, of the sinusoid; of tables that are shown alone; of rows for intervals.
struct Sizes {
  KernelDraws table;
  KernelDraws sinusoid;
  size_t shown = 3;
  size_t resamplings = 500;
};
constexpr Sizes kFull{.table = {39, 19}, .sinusoid = {19, 19}};
constexpr Sizes kQuick{.table = {11, 11}, .sinusoid = {11, 11}, .resamplings = 200};

constexpr NumberName kWaves{"oscillation", "waves"};
constexpr NumberName kPhases{"oscillation", "joint_phases"};
constexpr NumberName kSinusoid{"oscillation", "sinusoid"};
constexpr NumberName kWhite{"oscillation", "white_noise"};
constexpr NumberName kWalk{"oscillation", "random_walk"};
constexpr NumberName kOneFrequency{"oscillation", "one_frequency"};
constexpr NumberName kOneWay{"oscillation", "one_way"};
constexpr NumberName kRepeating{"oscillation", "repeating"};
constexpr NumberName kEarly{"oscillation", "early"};
constexpr NumberName kLate{"oscillation", "late"};

/// What the texts say of the constants.
Fills settings() {
  return {{"first", kFirstComponent}, {"last", kLastComponent}, {"cycles", kCyclesAtATime}, {"looks", kLooksLike},
          {"does_not", kDoesNot},     {"left", kLeftBeyond},    {"exact", kExactShare},     {"least", kLeastShare},
          {"block", kBlock},          {"short", kShortSequence}};
}

/// What is read off the waves of one table: six numbers of each claim's components, then each component's own.
enum Reading : size_t { waves, one_frequency, one_way, repeating, early, late, kReadings };

constexpr size_t place_of(size_t claimed, Reading reading) {
  return claimed * kReadings + reading;
}
constexpr size_t kOfComponents = place_of(kClaimed.size(), waves);

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

/// A table's waves, and its readings beside those of tables with its kernel.
struct Measurement {
  ComponentWaves waves;
  SharesBesideKernel readings;
};

Measurement measured(const PlacedRows& rows, const std::string& name, const KernelDraws& draws,
                     const Conditions& conditions) {
  return {.waves = ComponentWaves(rows, static_cast<size_t>(kLastComponent)),
          .readings = beside_kernel(rows, name, draws, conditions, readings_of_rows)};
}

/// Readings of some draws of a table that is shown beside, reading by reading. @return [readings]
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

/// The table without rows of outlying norm, which the claims are judged by, and what stands beside it.
struct Tables {
  Measurement own;
  Measurement sine;
  std::vector<double> white;  ///< readings
  std::vector<double> walk;
};

Words words_of_components(const ComponentRange& range) {
  return wording("oscillation.components", {{"from", range.from + 1}, {"to", range.to}});
}

/// What the labels of a claim's numbers say.
Fills labels_of(const ComponentRange& range) {
  Fills fills = settings();
  fills.emplace_back("components", words_of_components(range));
  return fills;
}

Numbers numbers_of(size_t claimed, const Tables& tables, const Sizes& sizes, const Conditions& conditions) {
  const ComponentRange& range = kClaimed[claimed].components;
  const Fills of_range = labels_of(range);
  const Words of_gaussian = median_of_draws(words_of(SameKernel::gaussian), sizes.table.gaussian);
  const auto interval_of = [&](const ComponentWaves& waves, const char* name) {
    return waves.interval(range, kBlock,
                          {.seed = conditions.seed,
                           .name = std::string("oscillation: blocks ") + name,
                           .count = sizes.resamplings,
                           .threads = threads_of(conditions)});
  };
  Numbers numbers;
  const auto beside = [&](Measured number, Reading reading) {
    const DrawnNull gaussian = drawn_null(tables.own.readings.gaussian[place_of(claimed, reading)]);
    return number.null(gaussian.middle, of_gaussian, gaussian.range);
  };
  const auto add = [&](const NumberName& name, Reading reading, std::optional<Interval> interval = {}) {
    const size_t place = place_of(claimed, reading);
    Measured number = beside({name, tables.own.readings.own[place], of_range}, reading)
                          .control(tables.sine.readings.own[place], words_of_sinusoid());
    if (interval) number.interval(*interval);
    numbers.add(number);
  };
  add(kWaves, waves, interval_of(tables.own.waves, "own"));
  const size_t place = place_of(claimed, waves);
  const DrawnNull phases = drawn_null(tables.own.readings.joint_phases[place]);
  const DrawnNull of_sine = drawn_null(tables.sine.readings.joint_phases[place]);
  Fills of_phases = of_range;
  of_phases.emplace_back("draws", sizes.table.joint_phases);
  numbers.add(beside(Measured(kPhases, phases.middle, of_phases).interval(phases.range), waves)
                  .control(of_sine.middle, wording("oscillation.of_sinusoid"), of_sine.range));
  const DrawnNull gaussian = drawn_null(tables.sine.readings.gaussian[place]);
  numbers.add(Measured(kSinusoid, tables.sine.readings.own[place], of_range)
                  .interval(interval_of(tables.sine.waves, "sinusoid"))
                  .null(gaussian.middle, wording("oscillation.of_sinusoid_kernel"), gaussian.range)
                  .control(1, wording("oscillation.all_sinusoids")));
  const auto add_shown = [&](const NumberName& name, const std::vector<double>& readings) {
    Fills fills = of_range;
    fills.emplace_back("draws", sizes.shown);
    numbers.add(Measured(name, readings[place], fills)
                    .null(0, wording("oscillation.no_wave"))
                    .control(tables.sine.readings.own[place], words_of_sinusoid()));
  };
  add_shown(kWhite, tables.white);
  add_shown(kWalk, tables.walk);
  add(kOneFrequency, one_frequency);
  add(kOneWay, one_way);
  add(kRepeating, repeating);
  if (Halves(tables.own.waves.places()).both()) {
    add(kEarly, early);
    add(kLate, late);
  }
  return numbers;
}

/// What other choices of rows have, beside Gaussian tables with their kernel.
void add_other_rows(const Table& table, const Tables& tables, const Sizes& sizes, const Conditions& conditions,
                    Findings& findings) {
  const size_t first[]{0};
  const auto add = [&](const std::string& name, const PlacedRows& rows) {
    const auto readings = beside_kernel(rows, "oscillation " + name, {sizes.shown, 0}, conditions, readings_of_rows);
    for (size_t i = 0; i < kClaimed.size(); ++i) {
      const size_t place = place_of(i, waves);
      Fills fills = labels_of(kClaimed[i].components);
      fills.emplace_back("rows", wording("oscillation.rows." + name));
      findings.numbers[kClaimed[i].claim].add(
          Measured(kWaves.of(name), wording("oscillation.numbers.other_rows", fills), readings.own[place])
              .null(median(readings.gaussian[place]), median_of_draws(words_of(SameKernel::gaussian), sizes.shown))
              .control(tables.sine.readings.own[place], words_of_sinusoid()));
    }
  };
  add("all", placed_rows(table));
  add("without_row_0", placed_rows(table, first));
}

/// Each component's reading.
std::vector<double> of_components(const std::vector<double>& readings) {
  return {readings.begin() + kOfComponents, readings.end()};
}
std::vector<double> medians_of_components(const std::vector<std::vector<double>>& draws) {
  std::vector<double> middle;
  for (size_t place = kOfComponents; place < draws.size(); ++place) middle.push_back(median(draws[place]));
  return middle;
}

Figure r2_figure(const Tables& tables) {
  return shares_figure({{series_of_table(), of_components(tables.own.readings.own)},
                        {series_of_sinusoid(), of_components(tables.sine.readings.own)},
                        {series_of(SameKernel::gaussian), medians_of_components(tables.own.readings.gaussian)},
                        {series_of(SameKernel::joint_phases), medians_of_components(tables.own.readings.joint_phases)},
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
    findings.left_out.push_back(wording("oscillation.left_out", {{"few", kQuick.table.gaussian},
                                                                 {"few_phases", kQuick.table.joint_phases},
                                                                 {"many", kFull.table.gaussian},
                                                                 {"many_phases", kFull.table.joint_phases},
                                                                 {"few_sine", kQuick.sinusoid.gaussian},
                                                                 {"many_sine", kFull.sinusoid.gaussian},
                                                                 {"few_resamplings", kQuick.resamplings},
                                                                 {"many_resamplings", kFull.resamplings}}));
  }
  const auto own = measured(rows, "oscillation", sizes.table, conditions);
  conditions.progress(0.4);
  const auto sine =
      measured(placed_rows(sinusoid_like(table), left_out), "oscillation of a sinusoid", sizes.sinusoid, conditions);
  conditions.progress(0.7);
  const auto shown = [&](Surrogate one) { return median_readings_of(one, rows, sizes.shown, conditions); };
  const Tables tables{
      .own = own, .sine = sine, .white = shown(Surrogate::white_noise), .walk = shown(Surrogate::random_walk)};
  for (size_t i = 0; i < kClaimed.size(); ++i) {
    findings.numbers[kClaimed[i].claim] = numbers_of(i, tables, sizes, conditions);
  }
  conditions.progress(0.8);
  add_other_rows(table, tables, sizes, conditions, findings);
  conditions.progress(0.9);
  findings.remarks.push_back(wording("oscillation.remark", {{"rows", list_of(left_out)}}));
  constexpr auto kAll = static_cast<size_t>(kLastComponent);
  findings.figures = {curves_figure(rows, kAll, settings(), "oscillation-curves"),
                      curves_figure(placed_rows(table), kAll, settings(), "oscillation-curves-all-rows"),
                      r2_figure(tables), amplitude_figure(table, kAll), heat_figure(table, kAll)};
  conditions.progress(1);
  return findings;
}

/// What the rule asks of a table, and of the positive control.
struct Judged {
  Interval explained;
  double one_way = 0;  ///< what curves that only rise or only fall explain
  BesideKernel beside;
};

Judged own_of(const Numbers& numbers) {
  const Number& explained = numbers.at(kWaves);
  return {.explained = *explained.interval,
          .one_way = numbers.value(kOneWay),
          .beside = {explained.value, *explained.null->interval, *numbers.at(kPhases).interval}};
}

Judged control_of(const Numbers& numbers) {
  const Number& explained = numbers.at(kSinusoid);
  return {.explained = *explained.interval,
          .one_way = numbers.control(kOneWay),
          .beside = {explained.value, *explained.null->interval, *numbers.at(kPhases).control->interval}};
}

/// Whether sinusoids explain little of what curves leave that only rise or only fall: of a straight line, say.
bool hardly_oscillates(const Judged& table) {
  return table.beside.own - table.one_way < kDoesNot * (1 - table.one_way);
}

Observation looks_like_sinusoids(const Judged& table) {
  if (table.explained.low >= kLooksLike) {
    return hardly_oscillates(table) ? Observation::cannot_be_told : Observation::holds;
  }
  return table.explained.high < kDoesNot ? Observation::fails : Observation::cannot_be_told;
}

/// Whether it looks more like sinusoids than its lag kernel makes any table look.
bool beyond_its_kernel(const Judged& table) {
  return standing(table.beside) == Standing::beyond;
}

/// Whether tables with the same lag kernel look as much like sinusoids.
bool is_within_its_kernel(const Judged& table) {
  return table.explained.low <= table.beside.gaussian.high;
}

Inference inference_of(const Judged& own, const Judged& control) {
  if (looks_like_sinusoids(control) != Observation::holds || !beyond_its_kernel(control)) return Inference::not_tested;
  if (!beyond_its_kernel(own)) return Inference::does_not_follow;
  return looks_like_sinusoids(own) == Observation::holds ? Inference::follows : Inference::not_tested;
}

Fills said(const Numbers& numbers) {
  const Number& own = numbers.at(kWaves);
  Fills fills = settings();
  fills.insert(fills.end(), {{"own", own.value},
                             {"low", own.interval->low},
                             {"high", own.interval->high},
                             {"kernel_low", own.null->interval->low},
                             {"kernel_high", own.null->interval->high},
                             {"phases_low", numbers.at(kPhases).interval->low},
                             {"phases_high", numbers.at(kPhases).interval->high},
                             {"sinusoid", numbers.value(kSinusoid)},
                             {"sinusoid_kernel", numbers.at(kSinusoid).null->interval->high},
                             {"one", numbers.value(kOneFrequency)},
                             {"one_way", numbers.value(kOneWay)},
                             {"walk", numbers.value(kWalk)}});
  return fills;
}

Verdict judge_oscillation(const Numbers& numbers) {
  const Judged own = own_of(numbers);
  const Judged control = control_of(numbers);
  const bool told_apart = looks_like_sinusoids(control) == Observation::holds && numbers.value(kWhite) < kDoesNot;
  Verdict verdict;
  verdict.observation = told_apart ? looks_like_sinusoids(own) : Observation::cannot_be_told;
  verdict.inference = inference_of(own, control);
  Fills fills = said(numbers);
  const char* beyond = verdict.inference == Inference::not_tested ? "oscillation.beyond.not_tested"
                       : beyond_its_kernel(own)                   ? "oscillation.beyond.more"
                       : is_within_its_kernel(own)                ? "oscillation.beyond.no_more"
                                                                  : "oscillation.beyond.little_more";
  fills.emplace_back("beyond", wording(beyond, fills));
  verdict.reason = wording("oscillation.reason", fills);
  return verdict;
}

/// Of the first components and of the next.
Words lead_of(Observation first, Observation later) {
  const auto lead = [](const char* name) { return wording(std::string("oscillation.answers.lead.") + name); };
  if (first == Observation::fails && later == Observation::fails) return lead("no");
  if (first == Observation::holds && later == Observation::holds) return lead("yes");
  return first == Observation::holds || later == Observation::holds ? lead("in_part") : lead("not_told");
}

Words answer_oscillation(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E6")) return answer_of_gap(findings.gaps.at("E6"));
  Fills fills;
  for (const auto& [place, value] : {std::pair{"own_percent", kWaves}, std::pair{"one_percent", kOneFrequency}}) {
    fills.emplace_back(place, 100 * findings.numbers.at("E6").value(value));
  }
  fills.emplace_back("later_percent", 100 * findings.numbers.at("E7").value(kWaves));
  fills.emplace_back("kernel_low", 100 * findings.numbers.at("E6").at(kWaves).null->interval->low);
  fills.emplace_back("kernel_high", 100 * findings.numbers.at("E6").at(kWaves).null->interval->high);
  for (const auto& one : settings()) fills.push_back(one);
  const Inference inference = verdicts.at("E6").inference;
  const char* proves = inference == Inference::follows           ? "oscillation.answers.evidence"
                       : inference == Inference::does_not_follow ? "oscillation.answers.no_evidence"
                                                                 : "oscillation.answers.not_tested";
  fills.emplace_back("proves", wording(proves, fills));
  fills.emplace_back("lead", lead_of(verdicts.at("E6").observation, verdicts.at("E7").observation));
  return wording("oscillation.answer", fills);
}

/// Both claims have the same rule, of other components.
Rule rule_of(const char* claim) {
  Rule rule = described_rule("oscillation", "either", judge_oscillation, settings(), {.claim = "3.5"});
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
