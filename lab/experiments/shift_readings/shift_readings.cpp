// 4.11: what is a relative position? Four readings of it, and which of them a table has beyond its lag kernel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/charts.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/beyond_kernel.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/other_rows.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/nulls/share_numbers.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace shift_readings {
namespace {

using Eigen::Index;

constexpr size_t kLeastReadRows = 128;
constexpr std::array<size_t, 4> kReadShifts{1, 4, 8, 32};
constexpr size_t kShownShift = 8;  // far enough that staying is no answer
constexpr double kReadLeft = 0.4;  // of the variance: more is no reading of the table
constexpr double kAsAtFirst =
    1.5;  // times what a reading leaves at the first shift: what noise leaves is the same at all …
constexpr double kReadRounding = 0.01;  // … and of the variance, besides
constexpr double kRowsMatter = 0.1;     // from which the reason says what all rows have

constexpr NumberName kFactor{"shift_readings", "factor"};  // families, at a shift
constexpr NumberName kDifference{"shift_readings", "difference"};
constexpr NumberName kLinearMap{"shift_readings", "linear_map"};
constexpr NumberName kByDistance{"shift_readings", "by_distance"};
constexpr NumberName kPhases{"shift_readings", "joint_phases"};
constexpr NumberName kSinusoid{"shift_readings", "sinusoid"};
constexpr ShareNames kShare{kByDistance, kPhases, kSinusoid};
constexpr NumberName kFactorLeft{"shift_readings", "factor_left"};
constexpr NumberName kDifferenceLeft{"shift_readings", "difference_left"};
constexpr std::array kShifted{kFactor, kDifference, kLinearMap, kFactorLeft, kDifferenceLeft};
constexpr std::array kDrawn{kFactor, kDifference, kLinearMap};  // in the figure: 1 is exact

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"shifts", LocalizedText{fmt::format("{}", fmt::join(kReadShifts, ", ")),
                                   fmt::format("{}", fmt::join(kReadShifts, "、"))}},
          {"shift", kShownShift},
          {"read_left", kReadLeft},
          {"as_at_first", kAsAtFirst},
          {"rounding", kReadRounding},
          {"left", kLeftBeyond},
          {"exact", kExactShare},
          {"least", kLeastShare},
          {"nearly_all", kNearlyAll},
          {"far_more", kFarMore}};
}

LocalizedText words_of_reading(const NumberName& reading) {
  return localize(std::string("shift_readings.readings.") + reading.name);
}

/// Rows x and x + k, as far as both are there.
struct Moved {
  Table from;
  Table to;
};

Moved moved(const PlacedRows& rows, size_t shift) {
  std::vector<Index> from;
  std::vector<Index> to;
  for (size_t i = 0, j = 0; i < rows.at.size(); ++i) {
    while (j < rows.at.size() && rows.at[j] < rows.at[i] + shift) ++j;
    if (j == rows.at.size() || rows.at[j] != rows.at[i] + shift) continue;
    from.push_back(static_cast<Index>(i));
    to.push_back(static_cast<Index>(j));
  }
  return {.from = rows.rows(from, Eigen::all), .to = rows.rows(to, Eigen::all)};
}

/// 1 − SSE / SSE of the better of standing still and of the mean row, which for rows that have gone half round is the
/// better by far; 0 where the rows stand still.
double skill_of(double error, const Moved& rows) {
  const double still = std::min((rows.to - rows.from).squaredNorm(), centred(rows.to).squaredNorm());
  return still > 0 ? 1 - error / still : 0;
}

/// What a reading leaves of the rows' variance; all of it where there is none.
double left_of(double error, const Moved& rows) {
  const double variance = centred(rows.to).squaredNorm();
  return variance > 0 ? error / variance : 1;
}

double factor_error(const Moved& rows) {
  const double squares = rows.from.squaredNorm();
  const double factor = squares > 0 ? rows.from.cwiseProduct(rows.to).sum() / squares : 0;
  return (rows.to - factor * rows.from).squaredNorm();
}

double difference_error(const Moved& rows) {
  return centred(Table(rows.to - rows.from)).squaredNorm();
}

/// Where each share stands: what is told of the readings at each shift, then the share by distance.
constexpr size_t kShares = kShifted.size() * kReadShifts.size() + 1;
constexpr size_t kLast = kShares - 1;

size_t reading_index(size_t reading, size_t shift) {
  return reading * kReadShifts.size() + shift;
}

std::vector<double> shares_of(const PlacedRows& rows) {
  const PlacedRows around{.rows = centred(rows.rows), .at = rows.at};
  const PairTable distances = squared_distances(rows);
  std::vector<double> shares(kShares);
  for (size_t i = 0; i < kReadShifts.size(); ++i) {
    const Moved pairs = moved(around, kReadShifts[i]);
    const double of_factor = factor_error(pairs);
    const double of_difference = difference_error(pairs);
    shares[reading_index(0, i)] = skill_of(of_factor, pairs);
    shares[reading_index(1, i)] = skill_of(of_difference, pairs);
    shares[reading_index(2, i)] = kept_by_shift(distances, kReadShifts[i]);
    shares[reading_index(3, i)] = left_of(of_factor, pairs);
    shares[reading_index(4, i)] = left_of(of_difference, pairs);
  }
  shares[kLast] = share_by_distance(distances);
  return shares;
}

Numbers numbers_of(const KernelComparisons& own, const KernelComparisons& sine, const KernelDraws& draws) {
  Numbers numbers;
  const LocalizedText of_gaussian = median_of_draws(words_of(SameKernel::gaussian), draws.gaussian);
  const ShareWords words{localize("shift_readings.of_sinusoid"),
                         localize("shift_readings.of_sinusoid_kernel"),
                         localize("shift_readings.function_of_distance"),
                         {{"draws", draws.joint_phases}}};
  add_share(kShare, words, own, sine, kLast, draws, numbers);
  for (size_t r = 0; r < kShifted.size(); ++r) {
    for (size_t i = 0; i < kReadShifts.size(); ++i) {
      const size_t share = reading_index(r, i);
      const FormatArgs args{{"reading", words_of_reading(kShifted[r])}, {"shift", kReadShifts[i]}};
      numbers.add(NumberBuilder(kShifted[r], std::to_string(kReadShifts[i]), own.own[share], args)
                      .null(median_estimate(own.gaussian[share]), of_gaussian)
                      .control(sine.own[share], words_of_sinusoid()));
    }
  }
  return numbers;
}

/// Every share of one table: own, or the medians of draws.
struct Bars {
  chart::Series series;
  std::vector<double> shares;
};

Bars medians(chart::Series series, const std::vector<std::vector<double>>& draws) {
  Bars bars{.series = std::move(series), .shares = {}};
  for (const auto& values : draws) bars.shares.push_back(median(values));
  return bars;
}

Figure readings_figure(const std::vector<Bars>& tables) {
  using namespace chart;
  std::vector<LocalizedText> of;
  std::vector<LocalizedText> reading;
  std::vector<double> share;
  std::vector<LocalizedText> order;
  std::vector<Series> series;
  for (const auto& one : kDrawn) order.push_back(words_of_reading(one));
  order.push_back(words_of_reading(kByDistance));
  const auto text = [](const char* name) {
    return localize(std::string("shift_readings.figures.shift-readings.") + name, settings());
  };
  const auto at = static_cast<size_t>(std::ranges::find(kReadShifts, kShownShift) - kReadShifts.begin());
  for (const auto& table : tables) {
    series.push_back(table.series);
    for (size_t r = 0; r < order.size(); ++r) {
      of.push_back(table.series.words);
      reading.push_back(order[r]);
      share.push_back(std::max(-1.0, table.shares[r < kDrawn.size() ? reading_index(r, at) : kLast]));
    }
  }
  Json x = scaled(number("share", text("share"), ".2f"), {{"domain", {-1, 1}}});
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
      .data = FigureData{{{"of", of}, {"reading", reading}, {"share", share}}}};
}

Findings run_shift_readings(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  const auto left_out = outlying_rows(table);
  const PlacedRows rows = placed_rows(table, left_out);
  if (const auto gap = lacking(rows.rows, kLeastReadRows, 2)) {
    findings.gaps["4.11"] = *gap;
    return findings;
  }
  const KernelSizes& sizes = conditions.quick ? kQuickKernelSizes : kFullKernelSizes;
  if (conditions.quick) {
    findings.left_out.push_back(
        localize("shift_readings.left_out", {{"few", kQuickKernelSizes.table.gaussian},
                                             {"few_phases", kQuickKernelSizes.table.joint_phases},
                                             {"many", kFullKernelSizes.table.gaussian},
                                             {"many_phases", kFullKernelSizes.table.joint_phases}}));
  }
  const auto own = compared_with_kernel(rows, "shift readings", sizes.table, conditions, shares_of);
  conditions.progress(0.6);
  const PlacedRows sine = placed_rows(sinusoid_like(table), left_out);
  const auto of_sine =
      compared_with_kernel(sine, "shift readings of a sinusoid", sizes.sinusoid, conditions, shares_of);
  conditions.progress(0.8);
  Numbers& numbers = findings.numbers["4.11"] = numbers_of(own, of_sine, sizes.table);
  add_other_rows(kByDistance, "shift readings", table, of_sine.own[kLast], sizes.other_rows, conditions, numbers);
  findings.remarks.push_back(localize("shift_readings.computed", {{"rows", list_of(left_out)}}));
  findings.figures = {readings_figure({{series_of_table(), own.own},
                                       {series_of_sinusoid(), of_sine.own},
                                       medians(series_of(SameKernel::gaussian), own.gaussian),
                                       medians(series_of(SameKernel::joint_phases), own.joint_phases)})};
  conditions.progress(1);
  return findings;
}

std::string at_shown(const NumberName& family) {
  return family.of(std::to_string(kShownShift));
}

/// Whether one of the reader's two describes the rows at every shift: it leaves little, and at no shift more than at
/// the first but for a bit. By chance, a wave that has gone half round, it does so at one.
/// @param left  what it leaves at a shift
template <class Left>
bool is_a_reading(const Left& left) {
  const double first = left(kReadShifts.front());
  return std::ranges::all_of(kReadShifts, [&](size_t shift) {
    return left(shift) <= std::min(kReadLeft, kAsAtFirst * first + kReadRounding);
  });
}

struct RuleInputs {
  KernelComparison by_distance;
  bool by_factor = false;
  bool by_difference = false;
};

/// Its share by distance and that of tables of the same kernel, and what readings leave.
RuleInputs rule_inputs(const Number& share, const Interval& phases,
                       const std::function<double(const std::string&)>& left) {
  const auto at = [&](const NumberName& reading) {
    return is_a_reading([&](size_t shift) { return left(reading.of(std::to_string(shift))); });
  };
  return {.by_distance = {share.value, *share.null->interval, phases},
          .by_factor = at(kFactorLeft),
          .by_difference = at(kDifferenceLeft)};
}

RuleInputs own_inputs(const Numbers& numbers) {
  return rule_inputs(numbers.at(kByDistance), *numbers.at(kPhases).interval,
                     [&](const std::string& name) { return numbers.value(name); });
}

RuleInputs control_inputs(const Numbers& numbers) {
  return rule_inputs(numbers.at(kSinusoid), *numbers.at(kPhases).control->interval,
                     [&](const std::string& name) { return numbers.control(name); });
}

Observation evaluate(const RuleInputs& table) {
  const Standing stands = standing(table.by_distance);
  if (stands == Standing::below) return Observation::fails;
  const bool by_reader = table.by_factor || table.by_difference;
  return stands == Standing::beyond && !by_reader ? Observation::holds : Observation::cannot_be_told;
}

/// One of the reader's two.
struct Reading {
  NumberName skill;
  NumberName left;
};

/// That which describes the rows at every shift, of both that which leaves less at the last; none where neither does.
std::optional<Reading> reader_of(const Numbers& numbers) {
  constexpr Reading kByFactor{kFactor, kFactorLeft};
  constexpr Reading kByDifference{kDifference, kDifferenceLeft};
  const RuleInputs own = own_inputs(numbers);
  const auto left = [&](const Reading& reading) {
    return numbers.value(reading.left.of(std::to_string(kReadShifts.back())));
  };
  if (own.by_factor && own.by_difference) return left(kByFactor) < left(kByDifference) ? kByFactor : kByDifference;
  if (own.by_factor) return kByFactor;
  if (own.by_difference) return kByDifference;
  return {};
}

/// The share by n − m, unless that is beyond its kernel and one of the reader's readings describes the rows as well.
std::string decided_by(const Numbers& numbers) {
  const auto reader = reader_of(numbers);
  if (standing(own_inputs(numbers).by_distance) != Standing::beyond || !reader) return kByDistance.name;
  return reader->left.of(std::to_string(kReadShifts.back()));
}

Inference inference_of(Standing stands) {
  switch (stands) {
    case Standing::beyond:
      return Inference::follows;
    case Standing::within:
      return Inference::not_tested;
    case Standing::below:
      return Inference::does_not_follow;
  }
  return Inference::not_tested;
}

LocalizedText words_of_reader(const Numbers& numbers) {
  const auto reader = reader_of(numbers);
  if (!reader) return {};
  return localize("shift_readings.reason.read", {{"reading", words_of_reading(reader->skill)}});
}

/// What the reason and the answer say.
FormatArgs measured(const Numbers& numbers) {
  const KernelComparison own = own_inputs(numbers).by_distance;
  const double all = numbers.value(kByDistance.of("all"));
  const LocalizedText with_all = std::abs(all - own.own) < kRowsMatter
                                     ? LocalizedText{}
                                     : localize("shift_readings.reason.all_rows", {{"all", all}});
  return {{"shift", kShownShift},
          {"factor", numbers.value(at_shown(kFactor))},
          {"difference", numbers.value(at_shown(kDifference))},
          {"linear", numbers.value(at_shown(kLinearMap))},
          {"own", own.own},
          {"low", own.gaussian.low},
          {"high", own.gaussian.high},
          {"with_all", with_all},
          {"read", words_of_reader(numbers)},
          {"sinusoid", numbers.value(kSinusoid)}};
}

Verdict judge_shift_readings(const Numbers& numbers) {
  const RuleInputs own = own_inputs(numbers);
  const bool control_passes = evaluate(control_inputs(numbers)) == Observation::holds;
  Verdict verdict;
  verdict.observation = observation_if(control_passes, evaluate(own));
  verdict.number = decided_by(numbers);
  verdict.inference = control_passes ? inference_of(standing(own.by_distance)) : Inference::not_tested;
  const bool alone = told_without_outlying_alone(kByDistance, numbers);
  if (alone && verdict.observation == Observation::holds) {
    verdict.observation = Observation::cannot_be_told;
    verdict.number = with_outlying(kByDistance);
  }
  if (alone && verdict.inference == Inference::follows) verdict.inference = Inference::not_tested;
  verdict.reason = localize(control_passes ? "shift_readings.reason.measured" : "shift_readings.reason.no_control",
                            measured(numbers));
  return verdict;
}

LocalizedText answer_shift_readings(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.11")) return gap_answer(findings.gaps.at("4.11"));
  const Numbers& numbers = findings.numbers.at("4.11");
  const KernelComparison own = own_inputs(numbers).by_distance;
  const auto observation = verdicts.at("4.11").observation;
  const char* lead = observation == Observation::holds   ? "shift_readings.lead.yes"
                     : observation == Observation::fails ? "shift_readings.lead.no"
                                                         : "shift_readings.lead.not_told";
  // Worse than the mean row is nothing explained.
  const auto explained = [&](const NumberName& reading) {
    return 100 * std::max(0.0, numbers.value(at_shown(reading)));
  };
  return localize("shift_readings.answer", {{"lead", localize(lead)},
                                            {"shift", kShownShift},
                                            {"own_percent", 100 * own.own},
                                            {"low_percent", 100 * own.gaussian.low},
                                            {"high_percent", 100 * own.gaussian.high},
                                            {"sinusoid_percent", 100 * numbers.value(kSinusoid)},
                                            {"factor_percent", explained(kFactor)},
                                            {"difference_percent", explained(kDifference)},
                                            {"linear_percent", 100 * numbers.value(at_shown(kLinearMap))}});
}

}  // namespace
}  // namespace shift_readings

Experiment shift_readings_experiment() {
  using namespace shift_readings;
  Experiment experiment = described_experiment("shift_readings", settings());
  experiment.effort = 13;
  experiment.rules = {described_rule("shift_readings", "4.11", judge_shift_readings, settings(), {.kind = Kind::data})};
  experiment.run = run_shift_readings;
  experiment.answer = answer_shift_readings;
  return experiment;
}

}  // namespace summand::lab
