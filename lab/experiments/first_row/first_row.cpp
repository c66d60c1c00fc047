// E5: which components change when row 0 is left out, and why?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr size_t kCompared = 18;  // as document 002 draws them
constexpr double kSame = 0.9;     // |cosine|
constexpr double kOwns = 0.5;     // leverage from which row 0 is the component
constexpr double kNear = 0.01;    // an eigengap of so much of the share lets neighbours rotate
constexpr size_t kLeastSame = 5;

/// What leaving out row 0 does to the first components.
struct Comparison {
  std::vector<ComponentMatch> matches;
  std::vector<double> leverages;  ///< of row 0 on each component
  std::vector<double> gaps;       ///< to the nearer neighbour, as a part of the component's own share
  size_t changed = 0;
  size_t same_before = 0;  ///< components before the first that changed
  double largest_leverage = 0;
  size_t explained = 0;  ///< of the changed, by leverage or a small gap
};

Comparison compare(const Table& table) {
  const auto with = principal_components(table, kCompared + 2);
  const auto without = principal_components(table.bottomRows(table.rows() - 1), kCompared + 2);
  Comparison result;
  const auto available = static_cast<size_t>(std::min(with.scores.cols(), without.scores.cols()));
  const size_t count = std::min(kCompared, available);
  result.matches = match_components(with, without, available);
  result.matches.resize(count);
  const Table leverage = summand::lab::leverages(with);
  for (size_t i = 0; i < count; ++i) {
    const auto c = static_cast<Eigen::Index>(i);
    result.leverages.push_back(leverage(0, c));
    double gap = 1;
    if (c > 0) gap = std::min(gap, 1 - with.shares(c) / with.shares(c - 1));
    if (c + 1 < with.shares.size()) gap = std::min(gap, 1 - with.shares(c + 1) / with.shares(c));
    result.gaps.push_back(gap);
    result.largest_leverage = std::max(result.largest_leverage, leverage(0, c));
    if (result.matches[i].cosine >= kSame && result.matches[i].nearest == i) {
      if (result.changed == 0) ++result.same_before;
      continue;
    }
    ++result.changed;
    // Behind a component that row 0 owned, the others move up by one.
    const bool moved = result.matches[i].cosine >= kSame;
    if (moved || leverage(0, c) >= kOwns || gap <= 10 * kNear) ++result.explained;
  }
  return result;
}

/// Row 0 as its neighbours are: nothing of its own.
Table without_outlier(const Table& table) {
  Table smooth = table;
  smooth.row(0) = 2 * table.row(1) - table.row(2);
  return smooth;
}

/// Row 0 moved far off in a direction of its own.
Table with_outlier(const Table& table, RandomStream& stream) {
  Table planted = without_outlier(table);
  const Table direction = random_frame(1, static_cast<size_t>(table.cols()), stream);
  const auto components = principal_components(table, 10);
  const double spread =
      std::sqrt(components.variances(components.variances.size() - 1) * static_cast<double>(table.rows()));
  planted.row(0) += 1.2 * spread * direction.row(0);
  return planted;
}

Figure matches_figure(const Comparison& comparison) {
  using namespace chart;
  const std::vector<Series> series{
      {{"|cosine| to its nearest without row 0", "与不含第 0 行时最近者的 |余弦|"}, {.colour = "@blue", .width = 3}},
      {{"leverage of row 0", "第 0 行的杠杆值"}, {.colour = "@orange", .dash = {6, 3}}},
      {{"relative eigengap", "相对特征间隔"}, {.colour = "@green", .dash = {2, 2}}}};
  std::vector<double> component;
  std::vector<double> value;
  std::vector<Words> what;
  for (size_t i = 0; i < comparison.matches.size(); ++i) {
    const std::array values{comparison.matches[i].cosine, comparison.leverages[i], comparison.gaps[i]};
    for (size_t s = 0; s < series.size(); ++s) {
      component.push_back(static_cast<double>(i + 1));
      value.push_back(values[s]);
      what.push_back(series[s].words);
    }
  }
  return {
      .name = "first-row-components",
      .title = {"Each component with and without row 0", "含与不含第 0 行的各主成分"},
      .caption = {"A component changes where row 0 owns it (leverage near 1) or where its neighbour is as large (gap "
                  "near 0).",
                  "主成分改变之处，要么被第 0 行占有（杠杆值近 1），要么与相邻成分同样大（间隔近 0）。"},
      .specification = layers({mark({{"type", "line"}, {"point", true}},
                                    of_lines({{"x", whole("component", {"component", "主成分"})},
                                              {"y", scaled(number("value", {"value", "值"}), {{"domain", {0, 1}}})}},
                                             "what", {"what", "量"}, series)),
                               rule("y", kSame)}),
      .data = FigureData{{{"component", component}, {"value", value}, {"what", what}}}};
}

Findings run_first_row(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table& table = subject.positions;
  const Table others = table.bottomRows(std::max<Eigen::Index>(table.rows() - 1, 0));
  if (const auto gap = lacking(others, 2 * kLeastPart - 1, kCompared)) {
    findings.gaps["E5"] = *gap;
    return findings;
  }
  RandomStream stream(conditions.seed, "first row: outlier");
  const Comparison own = compare(table);
  const Comparison null = compare(without_outlier(table));
  const Comparison control = compare(with_outlier(table, stream));
  const Words of_null{"row 0 continued from its neighbours", "第 0 行由邻行外推"};
  const Words of_control{"row 0 planted as an outlier", "第 0 行构造为离群点"};
  Numbers& numbers = findings.numbers["E5"];
  const auto add = [&](const char* name, Words label, const auto& of) {
    numbers.add(Measured(name, std::move(label), of(own)).null(of(null), of_null).control(of(control), of_control));
  };
  add("components_changed",
      {"of the first 18 components, changed without row 0", "前 18 个主成分中去掉第 0 行后改变的个数"},
      [](const Comparison& one) { return static_cast<double>(one.changed); });
  add("same_before_the_first", {"unchanged before the first that changed", "首个改变者之前未变的个数"},
      [](const Comparison& one) { return static_cast<double>(one.same_before); });
  add("leverage_of_row_0", {"largest leverage of row 0 on a component", "第 0 行对某主成分的最大杠杆值"},
      [](const Comparison& one) { return one.largest_leverage; });
  add("smallest_gap", {"smallest relative eigengap", "最小的相对特征间隔"},
      [](const Comparison& one) { return std::ranges::min(one.gaps); });
  add("explained",
      {"of the changed: row 0 owns it, it moved up, or its gap is small",
       "改变者中：被第 0 行占有、顺移或间隔很小的个数"},
      [](const Comparison& one) { return static_cast<double>(one.explained); });
  findings.figures.push_back(matches_figure(own));
  conditions.progress(1);
  return findings;
}

Verdict judge_first_row(const Numbers& numbers) {
  const auto changed = static_cast<size_t>(numbers.value("components_changed"));
  const auto before = static_cast<size_t>(numbers.value("same_before_the_first"));
  Verdict verdict;
  const double without_outlier = numbers.null("components_changed");
  if (numbers.control("components_changed") <= without_outlier) {
    verdict.observation = Observation::cannot_be_told;
  } else if (static_cast<double>(changed) > without_outlier && before >= kLeastSame) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = Observation::fails;
  }
  if (changed > 0) {
    // The document wonders whether the matrix' rank is the reason; leverage and near-equal eigenvalues are others.
    verdict.inference =
        numbers.value("explained") >= static_cast<double>(changed) ? Inference::does_not_follow : Inference::not_tested;
  }
  verdict.reason = {
      fmt::format(
          "{} of the first 18 components change, {:.0f} if row 0 is continued from its neighbours; {} stay before "
          "the first; row 0 owns up to {:.2f} of one, the smallest relative eigengap is {:.3f}",
          changed, without_outlier, before, numbers.value("leverage_of_row_0"), numbers.value("smallest_gap")),
      fmt::format(
          "前 18 个主成分中 {} 个改变（第 0 行由邻行延续时为 {:.0f} 个），其前有 {} 个不变；第 0 行最多占某成分的 "
          "{:.2f}，最小相对间隔为 {:.3f}",
          changed, without_outlier, before, numbers.value("leverage_of_row_0"), numbers.value("smallest_gap"))};
  return verdict;
}

Words answer_first_row(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E5")) return findings.gaps.at("E5");
  const Numbers& numbers = findings.numbers.at("E5");
  const bool not_rank = verdicts.at("E5").inference == Inference::does_not_follow;
  return {fmt::format("{:.0f} of the first 18 components change when row 0 is left out.{}",
                      numbers.value("components_changed"),
                      not_rank ? " No riddle of rank: row 0 is an outlier that owns a component, and components of "
                                 "nearly equal variance turn among themselves. Compare subspaces there, not single "
                                 "components."
                               : ""),
          fmt::format("去掉第 0 行后，前 18 个主成分中有 {:.0f} 个改变。{}", numbers.value("components_changed"),
                      not_rank
                          ? "与秩无关：第 0 "
                            "行是独占一个成分的离群点，而方差几乎相等的成分会彼此旋转。此处应比较子空间，而非单个成分。"
                          : "")};
}

}  // namespace

Experiment first_row_experiment() {
  return {
      .name = "first_row",
      .title = {"With and without [CLS]", "含与不含 [CLS]"},
      .question = {"Which components change when position 0, always [CLS], is left out, and why?",
                   "去掉总是 [CLS] 的位置 0，哪些主成分会变，为什么？"},
      .definition = {"The first 18 components with and without row 0, each matched to its nearest by |cosine|; the "
                     "leverage of row 0, its part of a component's variance; eigengaps relative to the larger "
                     "neighbour.",
                     "含与不含第 0 行的前 18 个主成分，按 |余弦| 最近配对；第 0 "
                     "行的杠杆值（占该成分方差的比例）；相对于较大邻居的特征间隔。"},
      .source = {"document 002; Davis & Kahan 1970", "文档 002；Davis & Kahan 1970"},
      .null = {"the table with row 0 continued from rows 1 and 2", "第 0 行由第 1、2 行外推的表"},
      .control = {"the table with row 0 planted as an outlier", "第 0 行构造为离群点的表"},
      .rules = {{.claim = "E5",
                 .observation =
                     {"holds if at least the first five components stay and more of 18 change (|cosine| below "
                      ".9, or another place) than with row 0 continued from its neighbours; fails "
                      "otherwise; if the planted outlier changes no more than that, it cannot be told",
                      "至少前五个主成分不变，且 18 个中改变者（|余弦| 低于 .9 "
                      "或位次不同）多于第 0 行由邻行延续时则成立；否则不成立；若构造的离群点改变得不更多，则无法判断"},
                 .inference = {"that rank explains it does not follow if every change is one of: row 0 has leverage "
                               "of .5 on it, it moved by a place, its eigengap is below a tenth; otherwise not tested",
                               "若每个改变都属于：第 0 行杠杆值达 "
                               ".5、位次顺移、特征间隔低于十分之一，则“秩的原因”推不出；否则未检验"},
                 .judge = judge_first_row}},
      .run = run_first_row,
      .answer = answer_first_row};
}

}  // namespace summand::lab
