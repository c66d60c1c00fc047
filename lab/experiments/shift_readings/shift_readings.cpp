// 4.11: what is a relative position? Four readings of it, each fitted and held out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

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

using Eigen::Index;

constexpr size_t kReadComponents = 16;
constexpr size_t kLeastReadRows = 128;
constexpr std::array<size_t, 4> kReadShifts{1, 4, 8, 32};
constexpr size_t kJudgedShift = 8;  // far enough that standing still is no answer
constexpr double kFits = 0.5;
constexpr double kDoesNot = 0.2;
constexpr double kAhead = 0.2;  // of a factor: to shrink towards the mean alone has a skill of .5 on white noise
constexpr double kOverWalk = 0.1;

struct Reading {
  ShiftMap map;
  const char* name;
  Words words;
};

/// Three of the four; the fourth, inner products, is no map. The one linear map is a rotation: a least-squares map
/// fails outside the rows that it was fitted on even for the sinusoid, whose slow waves are hardly told apart there.
const std::array<Reading, 3>& readings() {
  static const std::array<Reading, 3> list{
      Reading{ShiftMap::scalar, "factor", {"p(x+k) = α·p(x)", "p(x+k) = α·p(x)"}},
      Reading{ShiftMap::constant_difference, "difference", {"p(x+k) = p(x) + c", "p(x+k) = p(x) + c"}},
      Reading{ShiftMap::orthogonal, "linear_map", {"p(x+k) = p(x)·M", "p(x+k) = p(x)·M"}}};
  return list;
}

/// Inner products as a function of n − m alone: fitted on pairs of rows outside the middle third, judged on pairs
/// within it, beside the mean of those fitted.
double inner_product_skill(const Table& scores) {
  const Table products = scores * scores.transpose();
  const Index rows = scores.rows();
  const auto held_out = [&](Index row) { return row >= rows / 3 && row < 2 * rows / 3; };
  Vector sums = Vector::Zero(rows);
  Vector counts = Vector::Zero(rows);
  for (Index m = 0; m < rows; ++m) {
    for (Index n = m + 1; n < rows; ++n) {
      if (held_out(m) || held_out(n)) continue;
      sums(n - m) += products(m, n);
      counts(n - m) += 1;
    }
  }
  const double mean = sums.sum() / counts.sum();
  double error = 0;
  double of_mean = 0;
  for (Index m = 0; m < rows; ++m) {
    for (Index n = m + 1; n < rows; ++n) {
      if (!held_out(m) || !held_out(n) || counts(n - m) == 0) continue;
      const double guess = sums(n - m) / counts(n - m);
      error += (products(m, n) - guess) * (products(m, n) - guess);
      of_mean += (products(m, n) - mean) * (products(m, n) - mean);
    }
  }
  return 1 - error / of_mean;
}

/// Of every reading: at each shift, and the inner products last, which have none.
struct ReadSkills {
  std::array<std::array<double, kReadShifts.size()>, 3> maps{};
  double inner = 0;
};

ReadSkills read_skills_of(const Table& table) {
  const Table scores = principal_components(table, kReadComponents).scores;
  ReadSkills skills;
  for (size_t r = 0; r < readings().size(); ++r) {
    for (size_t i = 0; i < kReadShifts.size(); ++i) {
      skills.maps[r][i] =
          shift_skill(scores, readings()[r].map, {.shift = kReadShifts[i], .components = kReadComponents});
    }
  }
  skills.inner = inner_product_skill(scores);
  return skills;
}

template <class Of>
double middle(const std::vector<ReadSkills>& all, Of of) {
  std::vector<double> values;
  for (const auto& one : all) values.push_back(of(one));
  return median(values);
}

ReadSkills middle_of(const std::vector<ReadSkills>& all) {
  ReadSkills result;
  for (size_t r = 0; r < result.maps.size(); ++r) {
    for (size_t i = 0; i < kReadShifts.size(); ++i) {
      result.maps[r][i] = middle(all, [&](const ReadSkills& one) { return one.maps[r][i]; });
    }
  }
  result.inner = middle(all, [](const ReadSkills& one) { return one.inner; });
  return result;
}

Figure readings_figure(const std::vector<std::pair<chart::Series, ReadSkills>>& tables) {
  using namespace chart;
  std::vector<Words> of;
  std::vector<Words> reading;
  std::vector<double> skill;
  std::vector<Words> order;
  std::vector<Series> series;
  for (const auto& one : readings()) order.push_back(one.words);
  order.push_back({"p(m)·p(n) = g(n − m)", "p(m)·p(n) = g(n − m)"});
  const auto at = static_cast<size_t>(std::ranges::find(kReadShifts, kJudgedShift) - kReadShifts.begin());
  for (const auto& [one, skills] : tables) {
    series.push_back(one);
    for (size_t r = 0; r < order.size(); ++r) {
      of.push_back(one.words);
      reading.push_back(order[r]);
      skill.push_back(std::max(-1.0, r < readings().size() ? skills.maps[r][at] : skills.inner));
    }
  }
  Json x = scaled(number("skill", {"skill", "技能"}, ".2f"), {{"domain", {-1, 1}}});
  x["axis"] = {{"grid", true}, {"values", {-1, -0.5, 0, 0.5, 1}}};
  Json colour = coloured("of", {"table", "表"}, series);
  colour["legend"] = nullptr;
  return {.name = "shift-readings",
          .title = {"Four readings of “relative position”", "“相对位置”的四种读法"},
          .caption = {"At k = 8, held out: 1 is exact, 0 no better than standing still (of inner products: than their "
                      "mean); below −1 is drawn at −1. The sinusoid has the last two by construction.",
                      "k = 8，留出评判：1 为精确，0 与原地不动（内积：与其平均）相同；低于 −1 的画在 "
                      "−1。正弦编码按构造具有后两种。"},
          .specification =
              facets(name("reading", {"reading", "读法"}), order,
                     mark({{"type", "bar"}}, {{"y", listed("of", {"table", "表"})}, {"x", x}, {"color", colour}}),
                     {.least = 300, .most = 2, .axis = 38, .height = height_of(tables.size())}),
          .data = FigureData{{{"of", of}, {"reading", reading}, {"skill", skill}}}};
}

Findings run_shift_readings(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const auto left_out = outlying_rows(subject.positions);
  const Table table = without_rows(subject.positions, left_out);
  const Table sine = sinusoid_like(table);
  const auto gap = lacking(table, kLeastReadRows, kReadComponents);
  if (gap || lacking(sine, kLeastReadRows, kReadComponents)) {
    findings.gaps["4.11"] = gap ? *gap
                                : Words{"its width leaves the sinusoid beside it fewer than 16 components",
                                        "宽度太小，作对照的正弦编码不足 16 个主成分"};
    return findings;
  }
  const size_t draws = conditions.quick ? 3 : 7;
  if (conditions.quick)
    findings.left_out.push_back({"3 draws of each null instead of 7", "每种零假设 3 次抽样而非 7 次"});
  const ReadSkills own = read_skills_of(table);
  const ReadSkills control = read_skills_of(sine);
  std::array<ReadSkills, kSurrogates.size()> beside;
  for (size_t s = 0; s < kSurrogates.size(); ++s) {
    beside[s] = middle_of(drawn_from(kSurrogates[s], table, "shift readings", draws, conditions, read_skills_of));
    conditions.progress(0.2 * static_cast<double>(s + 1));
  }
  const ReadSkills& walk = beside[static_cast<size_t>(Surrogate::random_walk)];
  const Words of_walk = words_of_median(Surrogate::random_walk, draws);
  Numbers& numbers = findings.numbers["4.11"];
  for (size_t r = 0; r < readings().size(); ++r) {
    for (size_t i = 0; i < kReadShifts.size(); ++i) {
      numbers.add(Measured(fmt::format("{}_{}", readings()[r].name, kReadShifts[i]),
                           {fmt::format("skill of {} at k = {}", readings()[r].words.en, kReadShifts[i]),
                            fmt::format("k = {} 时 {} 的技能", kReadShifts[i], readings()[r].words.zh)},
                           own.maps[r][i])
                      .null(walk.maps[r][i], of_walk)
                      .control(control.maps[r][i], words_of_sinusoid()));
    }
  }
  const auto add_inner = [&](const std::string& name, const Words& label, double value) {
    numbers.add(Measured(name, label, value).null(walk.inner, of_walk).control(control.inner, words_of_sinusoid()));
  };
  add_inner("inner_product", {"skill of p(m)·p(n) = g(n − m)", "p(m)·p(n) = g(n − m) 的技能"}, own.inner);
  for (size_t s = 0; s < kSurrogates.size(); ++s) {
    if (kSurrogates[s] == Surrogate::random_walk) continue;
    const Words of = words_of_median(kSurrogates[s], draws);
    add_inner("inner_product_" + name_of(kSurrogates[s]),
              {"the same of inner products: " + of.en, "内积的同一数值：" + of.zh}, beside[s].inner);
  }
  findings.remarks.push_back(
      {"Rows left out, for their norms stand out: " + list_of(left_out).en +
           ". Maps are judged beside p(x + k) = p(x), inner products beside their mean. A Gaussian process has inner "
           "products of n − m by construction.",
       "因模长突出而去掉的行：" + list_of(left_out).zh +
           "。映射与 p(x + k) = p(x) 相比，内积与其平均相比。高斯过程的内积按构造只依赖 n − m。"});
  std::vector<std::pair<chart::Series, ReadSkills>> tables{{series_of_table(), own}, {series_of_sinusoid(), control}};
  for (size_t s = 0; s < kSurrogates.size(); ++s) tables.emplace_back(series_of(kSurrogates[s]), beside[s]);
  findings.figures = {readings_figure(tables)};
  conditions.progress(1);
  return findings;
}

struct Judged {
  double reader = 0;  ///< the better of the reader's two
  double inner = 0;
  double linear = 0;
};

Verdict judge_shift_readings(const Numbers& numbers) {
  const auto at = [](const char* name) { return fmt::format("{}_{}", name, kJudgedShift); };
  const auto of = [&](const auto& value) {
    return Judged{std::max(value(at("factor")), value(at("difference"))), value(std::string("inner_product")),
                  value(at("linear_map"))};
  };
  const Judged own = of([&](const std::string& name) { return numbers.value(name); });
  const Judged control = of([&](const std::string& name) { return numbers.control(name); });
  const double walk = numbers.null("inner_product");
  Verdict verdict;
  if (std::min(control.inner, control.linear) < kFits || walk >= kFits) {
    verdict.observation = Observation::cannot_be_told;
  } else if (std::max(own.inner, own.linear) >= std::max(kFits, own.reader + kAhead)) {
    verdict.observation = Observation::holds;
  } else if (std::max(own.inner, own.linear) <= std::max(kDoesNot, own.reader)) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const bool beyond = own.inner >= kFits && own.inner - walk >= kOverWalk;
  verdict.inference = beyond ? Inference::follows : Inference::does_not_follow;
  verdict.reason = {
      fmt::format("at k = 8 a factor has skill {:.2f}, a constant difference {:.2f}, one linear map {:.2f}; inner "
                  "products of n − m {:.2f}, a random walk's {:.2f}, at an uneven pace {:.2f}",
                  numbers.value(at("factor")), numbers.value(at("difference")), own.linear, own.inner, walk,
                  numbers.value("inner_product_warped")),
      fmt::format("k = 8 时系数的技能为 {:.2f}，常数差 {:.2f}，一个线性映射 {:.2f}；只依赖 n − m 的内积 "
                  "{:.2f}，随机游走 {:.2f}，不匀速时 {:.2f}",
                  numbers.value(at("factor")), numbers.value(at("difference")), own.linear, own.inner, walk,
                  numbers.value("inner_product_warped"))};
  return verdict;
}

Words answer_shift_readings(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("4.11")) return findings.gaps.at("4.11");
  const Numbers& numbers = findings.numbers.at("4.11");
  return {
      fmt::format("Four different properties. Eight steps on, a factor has skill {:.2f}, a constant difference "
                  "{:.2f}, one linear map {:.2f}; inner products that know only n − m have {:.2f}. A sinusoid has "
                  "the last two, {:.2f} and {:.2f}.",
                  numbers.value("factor_8"), numbers.value("difference_8"), numbers.value("linear_map_8"),
                  numbers.value("inner_product"), numbers.control("linear_map_8"), numbers.control("inner_product")),
      fmt::format("这是四种不同的性质。八步之后，系数的技能为 {:.2f}，常数差 {:.2f}，一个线性映射 {:.2f}；只知道 n "
                  "− m 的内积为 {:.2f}。正弦编码具有后两种：{:.2f} 与 {:.2f}。",
                  numbers.value("factor_8"), numbers.value("difference_8"), numbers.value("linear_map_8"),
                  numbers.value("inner_product"), numbers.control("linear_map_8"), numbers.control("inner_product"))};
}

}  // namespace

Experiment shift_readings_experiment() {
  return {
      .name = "shift_readings",
      .title = {"What a relative position is", "什么是相对位置"},
      .question = {"p(x+k) = α·p(x), a constant difference, inner products of n − m, or one linear map?",
                   "p(x+k) = α·p(x)、常数差、只依赖 n − m 的内积，还是一个线性映射？"},
      .definition =
          {"On 16 centred components, rows of outlying norm left out: each reading fitted on pairs outside "
           "the middle third, judged on pairs within it. Maps, the linear one a rotation: 1 − SSE / SSE of "
           "p(x + k) = p(x), k = 1, 4, 8, 32. Inner products off the diagonal: 1 − SSE / SSE of their mean.",
           "去掉模长突出的行，在 16 "
           "个中心化主成分上，各读法用中间三分之一之外的行对拟合，用其内部的行对评判。映射（线性映射取旋转）：1 "
           "− SSE / 持续预测的 SSE，k = 1、4、8、32；非对角内积：1 − SSE / 其平均的 SSE。"},
      .source = {"document 004, comments; own", "文档 004 的评论；自定义"},
      .null = {"random walks; Gaussian processes and the table at an uneven pace beside them",
               "随机游走；并列高斯过程与不匀速的同一张表"},
      .control = {"a sinusoidal table, which has the last two", "正弦表，具有后两种性质"},
      .rules = {{.claim = "4.11",
                 .observation = {"holds (n − m, not the reader's two) if inner products or one linear map reach .5 at "
                                 "k = 8 and lie .2 over factor and difference; fails if they do not lie over those, "
                                 "or do not exceed .2; otherwise, or if the sinusoid misses .5 or a random walk's "
                                 "inner products reach it, it cannot be told",
                                 "k = 8 时内积或线性映射达到 .5，且比系数与常数差高 .2 则成立（是 n − "
                                 "m，而非读者的两种）；不高于后者或不超过 .2 "
                                 "则不成立；其余情形，或正弦编码达不到 .5、随机游走的内积达到 .5 时，无法判断"},
                 .inference = {"that the table tells n − m by inner products follows if their skill is .5 and .1 over "
                               "a random walk's; otherwise it does not follow. The table at an uneven pace stands "
                               "beside it, no more: a sinusoid keeps most of it there",
                               "若内积的技能达到 .5 且比随机游走高 .1，则“此表以内积告知 n − "
                               "m”可推出；否则推不出。不匀速的同一张表只作并列：正弦编码在那里也保留大部分"},
                 .judge = judge_shift_readings}},
      .run = run_shift_readings,
      .answer = answer_shift_readings};
}

}  // namespace summand::lab
