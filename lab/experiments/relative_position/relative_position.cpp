// 3.5: is one step along the positions one rotation, the same everywhere, and does that make position easy to separate?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/shift_maps.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace relative_position {
namespace {

constexpr size_t kComponents = 16;
constexpr size_t kMostComponents = 32;
constexpr size_t kLeastShiftedRows = 128;
constexpr std::array<size_t, 4> kShifts{1, 4, 8, 32};
constexpr size_t kJudged = 3;        // of the shifts: 1, 4 and 8
constexpr double kOverSmooth = 0.2;  // over the medians of random walks and Gaussian processes
constexpr double kOverWarped = 0.1;  // over the median of the same table at an uneven pace
constexpr double kSameSkill = 0.01;  // of a rotated copy
constexpr size_t kAnswered = 8;      // the shift that the answer names

constexpr size_t kDraws = 7;
constexpr size_t kDrawsQuick = 3;

constexpr NumberName kSkill{"relative_position", "skill"};          // a family: at a shift
constexpr NumberName kSurrogate{"relative_position", "surrogate"};  // its label; named after which it is
constexpr NumberName kRotated{"relative_position", "rotated_1"};
constexpr NumberName kWithOutlyingRows{"relative_position", "with_outlying_rows_1"};

/// "skill_8".
std::string skill_at(size_t shift) {
  return kSkill.of(std::to_string(shift));
}
/// "warped_8".
std::string surrogate_at(Surrogate surrogate, size_t shift) {
  return fmt::format("{}_{}", name_of(surrogate), shift);
}

/// "1, 4".
template <class Values>
Words listed(const Values& values, const char* format = "{}") {
  std::vector<std::string> texts;
  for (const auto value : values) texts.push_back(fmt::format(fmt::runtime(format), value));
  return {fmt::format("{}", fmt::join(texts, ", ")), fmt::format("{}", fmt::join(texts, "、"))};
}

/// What the texts say of the constants.
Fills settings() {
  const std::span judged = std::span(kShifts).first(kJudged);
  return {{"components", kComponents},
          {"angles", kComponents * (kComponents - 1) / 2},
          {"length", kSmoothLength},
          {"shifts", listed(kShifts)},
          {"first_judged", listed(judged.first(kJudged - 1))},
          {"last_judged", judged.back()},
          {"over_smooth", kOverSmooth},
          {"over_warped", kOverWarped},
          {"same", kSameSkill}};
}

using Skills = std::array<double, kShifts.size()>;

struct Setting {
  size_t components = kComponents;
  std::optional<Block> held_out = {};
};

/// At every shift. A map acts on components alone: they are taken once.
Skills skills_of(const Table& table, const Setting& setting) {
  const Table scores = principal_components(table, setting.components).scores;
  Skills skills{};
  for (size_t i = 0; i < kShifts.size(); ++i) {
    skills[i] = shift_skill(scores, ShiftMap::orthogonal,
                            {.shift = kShifts[i], .components = setting.components, .held_out = setting.held_out});
  }
  return skills;
}

struct Drawn {
  Skills middle{};
  std::array<Interval, kShifts.size()> range{};
};

Drawn drawn_skills(Surrogate surrogate, const Table& table, size_t draws, const Conditions& conditions) {
  const auto all = drawn_from(surrogate, table, "relative position", draws, conditions,
                              [](const Table& one) { return skills_of(one, {}); });
  Drawn drawn;
  for (size_t i = 0; i < kShifts.size(); ++i) {
    std::vector<double> values;
    for (const auto& one : all) values.push_back(one[i]);
    drawn.middle[i] = median(values);
    drawn.range[i] = middle_95_percent(values);
  }
  return drawn;
}

Figure lines_figure(const std::string& file, const std::vector<std::pair<chart::Series, Skills>>& lines) {
  using namespace chart;
  const auto text = [](const std::string& name) { return wording("relative_position.figures." + name); };
  const auto axis_text = [&](const char* name) { return text(std::string("relative-position-skill.") + name); };
  std::vector<double> shift;
  std::vector<double> skill;
  std::vector<Words> of;
  std::vector<Series> series;
  double lowest = 0;
  for (const auto& [one, skills] : lines) {
    series.push_back(one);
    for (size_t i = 0; i < kShifts.size(); ++i) {
      shift.push_back(static_cast<double>(kShifts[i]));
      skill.push_back(std::max(-1.0, skills[i]));
      of.push_back(one.words);
      lowest = std::min(lowest, skill.back());
    }
  }
  const Json x = logarithmic(number("shift", axis_text("shift"), "d"), {kShifts.begin(), kShifts.end()});
  const Json y = scaled(number("skill", axis_text("skill"), ".2f"), {{"domain", {lowest < 0 ? -1 : 0, 1}}});
  return {.name = file,
          .title = text(file + ".title"),
          .caption = text(file + ".caption"),
          .specification = layers(
              {mark({{"type", "line"}, {"point", true}}, of_lines({{"x", x}, {"y", y}}, "of", axis_text("of"), series)),
               rule("y", 0)}),
          .data = FigureData{{{"shift", shift}, {"skill", skill}, {"of", of}}}};
}

/// Other numbers of components and other blocks, as far as the table has them.
std::vector<std::pair<chart::Series, Skills>> other_settings(const Table& table) {
  std::vector<std::pair<chart::Series, Skills>> lines;
  const auto text = [](const char* name, size_t components) {
    return wording(std::string("relative_position.figures.relative-position-settings.") + name,
                   {{"components", components}});
  };
  const std::array<chart::Look, 4> looks{
      chart::Look{.colour = "@sky", .dash = {2, 2}}, chart::Look{.colour = "@purple", .dash = {4, 2}},
      chart::Look{.colour = "@blue", .width = 3}, chart::Look{.colour = "@green", .dash = {8, 2}}};
  for (size_t i = 0; const size_t components : {size_t{4}, size_t{8}, kComponents, kMostComponents}) {
    const auto& look = looks[i++];
    // At the longest shift both outer thirds together have to leave a pair per component.
    const size_t least = std::max(kLeastShiftedRows, 3 * (components / 2 + kShifts.back()));
    if (lacking(table, least, components)) continue;
    lines.emplace_back(chart::Series{text("components", components), look},
                       skills_of(table, {.components = components}));
  }
  const auto rows = static_cast<size_t>(table.rows());
  const auto block = [&](const char* name, const chart::Look& look, const Block& held_out) {
    lines.emplace_back(chart::Series{text(name, kComponents), look}, skills_of(table, {.held_out = held_out}));
  };
  block("first_third", {.colour = "@orange", .dash = {6, 3, 2, 3}}, Block{0, rows / 3});
  block("last_third", {.colour = "@red", .dash = {2, 4}}, Block{2 * rows / 3, rows});
  return lines;
}

Findings run_relative_position(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const auto left_out = outlying_rows(subject.positions);
  const Table table = without_rows(subject.positions, left_out);
  if (const auto gap = lacking(table, kLeastShiftedRows, kComponents)) {
    findings.gaps["3.5"] = *gap;
    return findings;
  }
  const size_t draws = conditions.quick ? kDrawsQuick : kDraws;
  if (conditions.quick) {
    findings.left_out.push_back(wording("relative_position.left_out", {{"few", kDrawsQuick}, {"many", kDraws}}));
  }
  const Skills own = skills_of(table, {});
  const Table sine = sinusoid_like(table);
  const bool has_control = !lacking(sine, kLeastShiftedRows, kComponents);
  const Skills control = has_control ? skills_of(sine, {}) : Skills{};
  std::array<Drawn, kSurrogates.size()> drawn;
  for (size_t i = 0; i < kSurrogates.size(); ++i) {
    drawn[i] = drawn_skills(kSurrogates[i], table, draws, conditions);
    conditions.progress(0.2 * static_cast<double>(i + 1));
  }
  RandomStream stream(conditions.seed, "relative position: rotation");
  const Skills turned = skills_of(rotated(table, stream), {});
  const Skills whole = skills_of(subject.positions, {});

  Numbers& numbers = findings.numbers["3.5"];
  constexpr auto kWalk = static_cast<size_t>(Surrogate::random_walk);
  const auto add = [&](Measured number, size_t i) {
    numbers.add(
        number.null(drawn[kWalk].middle[i], words_of_median(Surrogate::random_walk, draws), drawn[kWalk].range[i])
            .control(control[i], words_of_sinusoid()));
  };
  for (size_t i = 0; i < kShifts.size(); ++i) {
    add(Measured(skill_at(kShifts[i]), kSkill.label({{"shift", kShifts[i]}}), own[i]), i);
  }
  for (size_t s = 0; s < kSurrogates.size(); ++s) {
    if (s == kWalk) continue;
    for (size_t i = 0; i < kShifts.size(); ++i) {
      const Fills fills{{"shift", kShifts[i]}, {"surrogate", words_of_median(kSurrogates[s], draws)}};
      add(Measured(surrogate_at(kSurrogates[s], kShifts[i]), kSurrogate.label(fills), drawn[s].middle[i]), i);
    }
  }
  add(Measured(kRotated, turned[0], {{"shift", kShifts[0]}}), 0);
  add(Measured(kWithOutlyingRows, whole[0], {{"shift", kShifts[0]}}), 0);
  const auto others = other_settings(table);
  Fills of_remark = settings();
  of_remark.emplace_back("rows", list_of(left_out));
  findings.remarks.push_back(wording("relative_position.remark", of_remark));
  std::vector<std::pair<chart::Series, Skills>> lines{{series_of_table(), own}};
  if (has_control) lines.emplace_back(series_of_sinusoid(), control);
  for (size_t s = 0; s < kSurrogates.size(); ++s) lines.emplace_back(series_of(kSurrogates[s]), drawn[s].middle);
  findings.figures = {lines_figure("relative-position-skill", lines),
                      lines_figure("relative-position-settings", others)};
  conditions.progress(1);
  return findings;
}

/// How far a skill lies over the largest median of smooth paths at this shift.
double over_smooth(const Numbers& numbers, size_t shift, double skill) {
  const double walk = numbers.null(skill_at(shift));
  return skill - std::max(walk, numbers.value(surrogate_at(Surrogate::gaussian_process, shift)));
}

Verdict judge_relative_position(const Numbers& numbers) {
  bool control_passes = true;
  bool holds = true;
  bool fails = false;
  for (size_t i = 0; i < kJudged; ++i) {
    const size_t shift = kShifts[i];
    const double skill = numbers.value(skill_at(shift));
    const double warped = numbers.value(surrogate_at(Surrogate::warped, shift));
    const double control = numbers.control(skill_at(shift));
    control_passes = control_passes && control > 0 && over_smooth(numbers, shift, control) >= kOverSmooth;
    const double over = over_smooth(numbers, shift, skill);
    holds = holds && skill > 0 && over >= kOverSmooth && skill - warped >= kOverWarped;
    fails = fails || skill <= 0 || over <= 0;
  }
  Verdict verdict;
  if (!control_passes) {
    verdict.observation = Observation::cannot_be_told;
  } else if (holds) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = fails ? Observation::fails : Observation::cannot_be_told;
  }
  const bool turns_alike = std::abs(numbers.value(kRotated) - numbers.value(skill_at(kShifts[0]))) <= kSameSkill;
  verdict.inference = turns_alike ? Inference::does_not_follow : Inference::not_tested;
  Skills own{};
  Skills walk{};
  for (size_t i = 0; i < kShifts.size(); ++i) {
    own[i] = numbers.value(skill_at(kShifts[i]));
    walk[i] = numbers.null(skill_at(kShifts[i]));
  }
  verdict.reason =
      wording("relative_position.reason",
              {{"shifts", listed(kShifts)}, {"own", listed(own, "{:.2f}")}, {"walk", listed(walk, "{:.2f}")}});
  return verdict;
}

Words answer_relative_position(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("3.5")) return findings.gaps.at("3.5");
  const Numbers& numbers = findings.numbers.at("3.5");
  const bool holds = verdicts.at("3.5").observation == Observation::holds;
  return wording(holds ? "relative_position.answer_holds" : "relative_position.answer_not_shown",
                 {{"shift", kAnswered},
                  {"skill", numbers.value(skill_at(kAnswered))},
                  {"walk", numbers.null(skill_at(kAnswered))},
                  {"warped", numbers.value(surrogate_at(Surrogate::warped, kAnswered))}});
}

}  // namespace
}  // namespace relative_position

Experiment relative_position_experiment() {
  using namespace relative_position;
  Experiment experiment = described_experiment("relative_position", settings());
  experiment.rules = {described_rule("relative_position", "3.5", judge_relative_position, settings())};
  experiment.run = run_relative_position;
  experiment.answer = answer_relative_position;
  return experiment;
}

}  // namespace summand::lab
