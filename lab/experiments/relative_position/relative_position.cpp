// 3.5: is one step along the positions one rotation, the same everywhere, and does that make position easy to separate?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
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

namespace {

constexpr size_t kComponents = 16;
constexpr size_t kMostComponents = 32;
constexpr size_t kLeastShiftedRows = 128;
constexpr std::array<size_t, 4> kShifts{1, 4, 8, 32};
constexpr size_t kJudged = 3;        // of the shifts: 1, 4 and 8
constexpr double kOverSmooth = 0.2;  // over the medians of random walks and Gaussian processes
constexpr double kOverWarped = 0.1;  // over the median of the same table at an uneven pace
constexpr double kSameSkill = 0.01;  // of a rotated copy

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

Figure lines_figure(std::string file, const Words& title, const Words& caption,
                    const std::vector<std::pair<chart::Series, Skills>>& lines) {
  using namespace chart;
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
  const Json x =
      logarithmic(number("shift", {"k, in positions", "k（位置数）"}, "d"), {kShifts.begin(), kShifts.end()});
  const Json y = scaled(number("skill", {"skill over persistence", "相对持续预测的技能"}, ".2f"),
                        {{"domain", {lowest < 0 ? -1 : 0, 1}}});
  return {.name = std::move(file),
          .title = title,
          .caption = caption,
          .specification = layers(
              {mark({{"type", "line"}, {"point", true}}, of_lines({{"x", x}, {"y", y}}, "of", {"table", "表"}, series)),
               rule("y", 0)}),
          .data = FigureData{{{"shift", shift}, {"skill", skill}, {"of", of}}}};
}

/// Other numbers of components and other blocks, as far as the table has them.
std::vector<std::pair<chart::Series, Skills>> other_settings(const Table& table) {
  std::vector<std::pair<chart::Series, Skills>> lines;
  const std::array<chart::Look, 4> looks{
      chart::Look{.colour = "@sky", .dash = {2, 2}}, chart::Look{.colour = "@purple", .dash = {4, 2}},
      chart::Look{.colour = "@blue", .width = 3}, chart::Look{.colour = "@green", .dash = {8, 2}}};
  for (size_t i = 0; const size_t components : {size_t{4}, size_t{8}, kComponents, kMostComponents}) {
    const auto& look = looks[i++];
    // At the longest shift both outer thirds together have to leave a pair per component.
    const size_t least = std::max(kLeastShiftedRows, 3 * (components / 2 + kShifts.back()));
    if (lacking(table, least, components)) continue;
    const Words words{fmt::format("{} components", components), fmt::format("{} 个主成分", components)};
    lines.emplace_back(chart::Series{words, look}, skills_of(table, {.components = components}));
  }
  const auto rows = static_cast<size_t>(table.rows());
  const auto block = [&](const Words& words, const chart::Look& look, const Block& held_out) {
    lines.emplace_back(chart::Series{words, look}, skills_of(table, {.held_out = held_out}));
  };
  block({"16, first third held out", "16 个，留出前三分之一"}, {.colour = "@orange", .dash = {6, 3, 2, 3}},
        Block{0, rows / 3});
  block({"16, last third held out", "16 个，留出后三分之一"}, {.colour = "@red", .dash = {2, 4}},
        Block{2 * rows / 3, rows});
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
  const size_t draws = conditions.quick ? 3 : 7;
  if (conditions.quick)
    findings.left_out.push_back({"3 draws of each null instead of 7", "每种零假设 3 次抽样而非 7 次"});
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
  const auto add = [&](const std::string& name, const Words& label, size_t i, double value) {
    numbers.add(Measured(name, label, value)
                    .null(drawn[kWalk].middle[i], words_of_median(Surrogate::random_walk, draws), drawn[kWalk].range[i])
                    .control(control[i], words_of_sinusoid()));
  };
  for (size_t i = 0; i < kShifts.size(); ++i) {
    add(fmt::format("skill_{}", kShifts[i]),
        {fmt::format("skill of one rotation at k = {}", kShifts[i]),
         fmt::format("k = {} 时一个旋转的技能", kShifts[i])},
        i, own[i]);
  }
  for (size_t s = 0; s < kSurrogates.size(); ++s) {
    if (s == kWalk) continue;
    for (size_t i = 0; i < kShifts.size(); ++i) {
      const Words of = words_of_median(kSurrogates[s], draws);
      add(fmt::format("{}_{}", name_of(kSurrogates[s]), kShifts[i]),
          {fmt::format("the same at k = {}: {}", kShifts[i], of.en), fmt::format("k = {} 时：{}", kShifts[i], of.zh)},
          i, drawn[s].middle[i]);
    }
  }
  add("rotated_1", {"k = 1, the table's columns turned at random", "k = 1，随机旋转各列后"}, 0, turned[0]);
  add("with_outlying_rows_1", {"k = 1, no row left out", "k = 1，不去掉任何行"}, 0, whole[0]);
  const auto others = other_settings(table);
  findings.remarks.push_back(
      {"Rows left out, for their norms stand out: " + list_of(left_out).en +
           ". Among 16 components one rotation has 120 free angles: held-out rows alone tell what it knows.",
       "因模长突出而去掉的行：" + list_of(left_out).zh +
           "。16 个主成分中的旋转有 120 个自由角度：只有留出的行能检验它。"});
  std::vector<std::pair<chart::Series, Skills>> lines{{series_of_table(), own}};
  if (has_control) lines.emplace_back(series_of_sinusoid(), control);
  for (size_t s = 0; s < kSurrogates.size(); ++s) lines.emplace_back(series_of(kSurrogates[s]), drawn[s].middle);
  findings.figures = {
      lines_figure("relative-position-skill", {"One rotation for every position", "所有位置共用一个旋转"},
                   {"1 is exact, 0 as good as standing still; below −1 is drawn at −1.",
                    "1 为精确，0 与原地不动相同；低于 −1 的画在 −1。"},
                   lines),
      lines_figure("relative-position-settings", {"The same with other settings", "其他设置下的同一数值"},
                   {"The table with other numbers of components, and with other thirds held out.",
                    "取其他主成分个数，或留出另外的三分之一。"},
                   others)};
  conditions.progress(1);
  return findings;
}

/// How far a skill lies over the largest median of smooth paths at this shift.
double over_smooth(const Numbers& numbers, size_t shift, double skill) {
  const double walk = numbers.null(fmt::format("skill_{}", shift));
  return skill - std::max(walk, numbers.value(fmt::format("gaussian_process_{}", shift)));
}

Verdict judge_relative_position(const Numbers& numbers) {
  bool control_passes = true;
  bool holds = true;
  bool fails = false;
  for (size_t i = 0; i < kJudged; ++i) {
    const size_t shift = kShifts[i];
    const auto name = fmt::format("skill_{}", shift);
    const double skill = numbers.value(name);
    const double warped = numbers.value(fmt::format("warped_{}", shift));
    const double control = numbers.control(name);
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
  const bool turns_alike = std::abs(numbers.value("rotated_1") - numbers.value("skill_1")) <= kSameSkill;
  verdict.inference = turns_alike ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("one rotation has skill {:.2f}, {:.2f}, {:.2f}, {:.2f} at k = 1, 4, 8, 32; a random walk {:.2f}, "
                  "{:.2f}, {:.2f}, {:.2f}; turned at random, away from whatever tokens occupy, the table has the same",
                  numbers.value("skill_1"), numbers.value("skill_4"), numbers.value("skill_8"),
                  numbers.value("skill_32"), numbers.null("skill_1"), numbers.null("skill_4"), numbers.null("skill_8"),
                  numbers.null("skill_32")),
      fmt::format("一个旋转在 k = 1、4、8、32 的技能为 {:.2f}、{:.2f}、{:.2f}、{:.2f}；随机游走为 "
                  "{:.2f}、{:.2f}、{:.2f}、{:.2f}；把表随机旋转、离开词元所占方向后数值不变",
                  numbers.value("skill_1"), numbers.value("skill_4"), numbers.value("skill_8"),
                  numbers.value("skill_32"), numbers.null("skill_1"), numbers.null("skill_4"), numbers.null("skill_8"),
                  numbers.null("skill_32"))};
  return verdict;
}

Words answer_relative_position(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("3.5")) return findings.gaps.at("3.5");
  const Numbers& numbers = findings.numbers.at("3.5");
  const bool holds = verdicts.at("3.5").observation == Observation::holds;
  return {fmt::format("{} One rotation, fitted elsewhere, predicts the row {} steps on with skill {:.2f}; a random "
                      "walk reaches {:.2f}, the same table at an uneven pace {:.2f}. Whether position separates from "
                      "token is another question: a rotated copy has the same skill.",
                      holds ? "Yes: steps are alike everywhere." : "Not shown.", 8, numbers.value("skill_8"),
                      numbers.null("skill_8"), numbers.value("warped_8")),
          fmt::format("{}在别处拟合的一个旋转预测 {} 步之后的行，技能为 {:.2f}；随机游走为 {:.2f}，不匀速的同一张表为 "
                      "{:.2f}。位置能否与词元分开是另一个问题：旋转后的副本数值相同。",
                      holds ? "是：各处的步伐相同。" : "未能显示。", 8, numbers.value("skill_8"),
                      numbers.null("skill_8"), numbers.value("warped_8"))};
}

}  // namespace

Experiment relative_position_experiment() {
  return {
      .name = "relative_position",
      .title = {"One rotation per step", "每一步一个旋转"},
      .question = {"Is a step of k positions one linear map, the same everywhere, and is position then easy to "
                   "separate?",
                   "移动 k 个位置是否处处是同一个线性映射？位置因此容易分开吗？"},
      .definition = {"Orthogonal Procrustes from p(x) to p(x + k) on 16 centred components of all rows but those whose "
                     "norm stands out (20 median absolute deviations and a tenth of the median), fitted outside the "
                     "middle third, judged on pairs within it: 1 − SSE / SSE of p(x + k) = p(x).",
                     "去掉模长突出的行（超过 20 个中位绝对偏差且超过中位数的十分之一），在 16 个中心化主成分上由 p(x) "
                     "到 p(x + k) 作正交 Procrustes；在中间三分之一之外拟合，在其内部的行对上评判：1 − SSE / "
                     "持续预测的 SSE。"},
      .source = {"own; Schönemann 1966", "自定义；Schönemann 1966"},
      .null = {"random walks, Gaussian processes of length 12 and the table at an uneven pace; white noise",
               "随机游走、长度 12 的高斯过程、不匀速的同一张表；白噪声"},
      .control = {"a sinusoidal table, where the claim is a theorem", "正弦表，此说对它是定理"},
      .rules =
          {{.claim = "3.5",
            .observation = {"holds if at k = 1, 4 and 8 the skill is positive, .2 over the medians of random "
                            "walks and Gaussian processes, and .1 over the table's own at an uneven pace; fails "
                            "if at one of them it is not positive or not over the smooth medians; otherwise, or if "
                            "the sinusoid is not .2 over them, it cannot be told",
                            "在 k = 1、4、8 处技能为正、比随机游走与高斯过程的中位数高 .2、比不匀速的同一张表高 "
                            ".1 则成立；其中一处不为正或不高于平滑零假设则不成立；其余情形，或正弦表未高出 .2 "
                            "时，无法判断"},
            .inference = {"that position is easy to separate from token does not follow if a randomly rotated "
                          "copy, which lies in other directions, has the same skill within .01; otherwise not "
                          "tested",
                          "若随机旋转的副本（所处方向不同）技能相差不超过 .01，则“容易与词元分开”推不出；否则未检验"},
            .judge = judge_relative_position}},
      .run = run_relative_position,
      .answer = answer_relative_position};
}

}  // namespace summand::lab
