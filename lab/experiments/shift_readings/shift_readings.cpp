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

namespace shift_readings {
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

constexpr NumberName kFactor{"shift_readings", "factor"};
constexpr NumberName kDifference{"shift_readings", "difference"};
constexpr NumberName kLinearMap{"shift_readings", "linear_map"};
constexpr NumberName kInner{"shift_readings", "inner_product"};

/// How many draws of each null.
constexpr size_t kFullDraws = 7;
constexpr size_t kQuickDraws = 3;

/// What the texts say of the constants.
Fills settings() {
  return {{"components", kReadComponents},
          {"shifts",
           Words{fmt::format("{}", fmt::join(kReadShifts, ", ")), fmt::format("{}", fmt::join(kReadShifts, "、"))}},
          {"shift", kJudgedShift},
          {"fits", kFits},
          {"does_not", kDoesNot},
          {"ahead", kAhead},
          {"over_walk", kOverWalk}};
}

struct Reading {
  ShiftMap map;
  NumberName name;  ///< of the number at one shift: a family

  [[nodiscard]] Words words() const { return wording(std::string("shift_readings.readings.") + name.name); }
};

/// Three of the four; the fourth, inner products, is no map. The one linear map is a rotation: a least-squares map
/// fails outside the rows that it was fitted on even for the sinusoid, whose slow waves are hardly told apart there.
constexpr std::array kReadings{Reading{ShiftMap::scalar, kFactor}, Reading{ShiftMap::constant_difference, kDifference},
                               Reading{ShiftMap::orthogonal, kLinearMap}};

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
  std::array<std::array<double, kReadShifts.size()>, kReadings.size()> maps{};
  double inner = 0;
};

ReadSkills read_skills_of(const Table& table) {
  const Table scores = principal_components(table, kReadComponents).scores;
  ReadSkills skills;
  for (size_t r = 0; r < kReadings.size(); ++r) {
    for (size_t i = 0; i < kReadShifts.size(); ++i) {
      skills.maps[r][i] =
          shift_skill(scores, kReadings[r].map, {.shift = kReadShifts[i], .components = kReadComponents});
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
  for (const auto& one : kReadings) order.push_back(one.words());
  order.push_back(wording("shift_readings.readings.inner_product"));
  const auto text = [](const char* name) {
    return wording(std::string("shift_readings.figures.shift-readings.") + name, settings());
  };
  const auto at = static_cast<size_t>(std::ranges::find(kReadShifts, kJudgedShift) - kReadShifts.begin());
  for (const auto& [one, skills] : tables) {
    series.push_back(one);
    for (size_t r = 0; r < order.size(); ++r) {
      of.push_back(one.words);
      reading.push_back(order[r]);
      skill.push_back(std::max(-1.0, r < kReadings.size() ? skills.maps[r][at] : skills.inner));
    }
  }
  Json x = scaled(number("skill", text("skill"), ".2f"), {{"domain", {-1, 1}}});
  x["axis"] = {{"grid", true}, {"values", {-1, -0.5, 0, 0.5, 1}}};
  Json colour = coloured("of", text("of"), series);
  colour["legend"] = nullptr;
  return {
      .name = "shift-readings",
      .title = text("title"),
      .caption = text("caption"),
      .specification = facets(name("reading", text("reading")), order,
                              mark({{"type", "bar"}}, {{"y", listed("of", text("of"))}, {"x", x}, {"color", colour}}),
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
    findings.gaps["4.11"] = gap ? *gap : wording("shift_readings.narrow_sinusoid", settings());
    return findings;
  }
  const size_t draws = conditions.quick ? kQuickDraws : kFullDraws;
  if (conditions.quick) {
    findings.left_out.push_back(wording("shift_readings.left_out", {{"few", kQuickDraws}, {"many", kFullDraws}}));
  }
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
  for (size_t r = 0; r < kReadings.size(); ++r) {
    for (size_t i = 0; i < kReadShifts.size(); ++i) {
      const Fills fills{{"reading", kReadings[r].words()}, {"shift", kReadShifts[i]}};
      numbers.add(Measured(kReadings[r].name, std::to_string(kReadShifts[i]), own.maps[r][i], fills)
                      .null(walk.maps[r][i], of_walk)
                      .control(control.maps[r][i], words_of_sinusoid()));
    }
  }
  const auto add_inner = [&](Measured number) {
    numbers.add(number.null(walk.inner, of_walk).control(control.inner, words_of_sinusoid()));
  };
  add_inner({kInner, own.inner});
  for (size_t s = 0; s < kSurrogates.size(); ++s) {
    if (kSurrogates[s] == Surrogate::random_walk) continue;
    const Words of = words_of_median(kSurrogates[s], draws);
    add_inner({kInner.of(name_of(kSurrogates[s])),
               wording("shift_readings.numbers.inner_product_of_surrogate", {{"of", of}}), beside[s].inner});
  }
  findings.remarks.push_back(wording("shift_readings.computed", {{"rows", list_of(left_out)}}));
  std::vector<std::pair<chart::Series, ReadSkills>> tables{{series_of_table(), own}, {series_of_sinusoid(), control}};
  for (size_t s = 0; s < kSurrogates.size(); ++s) tables.emplace_back(series_of(kSurrogates[s]), beside[s]);
  findings.figures = {readings_figure(tables)};
  conditions.progress(1);
  return findings;
}

std::string at_judged(const NumberName& family) {
  return family.of(std::to_string(kJudgedShift));
}

/// What the reason and the answer say.
Fills measured(const Numbers& numbers) {
  return {{"shift", kJudgedShift},
          {"factor", numbers.value(at_judged(kFactor))},
          {"difference", numbers.value(at_judged(kDifference))},
          {"linear", numbers.value(at_judged(kLinearMap))},
          {"inner", numbers.value(kInner)},
          {"walk", numbers.null(kInner)},
          {"warped", numbers.value(kInner.of(name_of(Surrogate::warped)))},
          {"sinusoid_linear", numbers.control(at_judged(kLinearMap))},
          {"sinusoid_inner", numbers.control(kInner)}};
}

struct Judged {
  double reader = 0;  ///< the better of the reader's two
  double inner = 0;
  double linear = 0;
};

Verdict judge_shift_readings(const Numbers& numbers) {
  const auto of = [](const auto& value) {
    return Judged{std::max(value(at_judged(kFactor)), value(at_judged(kDifference))), value(kInner.name),
                  value(at_judged(kLinearMap))};
  };
  const Judged own = of([&](const std::string& name) { return numbers.value(name); });
  const Judged control = of([&](const std::string& name) { return numbers.control(name); });
  const double walk = numbers.null(kInner);
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
  verdict.reason = wording("shift_readings.reason", measured(numbers));
  return verdict;
}

Words answer_shift_readings(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("4.11")) return findings.gaps.at("4.11");
  return wording("shift_readings.answer", measured(findings.numbers.at("4.11")));
}

}  // namespace
}  // namespace shift_readings

Experiment shift_readings_experiment() {
  using namespace shift_readings;
  Experiment experiment = described_experiment("shift_readings", settings());
  experiment.rules = {described_rule("shift_readings", "4.11", judge_shift_readings, settings())};
  experiment.run = run_shift_readings;
  experiment.answer = answer_shift_readings;
  return experiment;
}

}  // namespace summand::lab
