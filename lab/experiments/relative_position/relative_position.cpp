// 3.5: is a step of k positions one motion of all rows, more than any table with the same lag kernel has it?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/charts.hpp"
#include "lab/core/half_away_from_zero.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/beyond_kernel.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/nulls/share_numbers.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/linear_shift.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace relative_position {
namespace {

constexpr size_t kLeastShiftedRows = 128;
constexpr std::array<size_t, 4> kShifts{1, 4, 8, 32};
constexpr std::array<size_t, 7> kShownShifts{1, 2, 4, 8, 16, 32, 64};
constexpr size_t kAnswered = 8;      // the shift that the answer names
constexpr double kRowsMatter = 0.1;  // from which the reason says what all rows have
constexpr size_t kMapped = 16;       // components that a linear map acts on

constexpr NumberName kKept{"relative_position", "kept"};  // families, at a shift
constexpr NumberName kPhases{"relative_position", "joint_phases"};
constexpr NumberName kSinusoid{"relative_position", "sinusoid"};
constexpr NumberName kLinear{"relative_position", "linear"};
constexpr NumberName kByDistance{"relative_position", "by_distance"};
constexpr NumberName kByDistancePhases{"relative_position", "by_distance_joint_phases"};
constexpr NumberName kByDistanceSinusoid{"relative_position", "by_distance_sinusoid"};
constexpr ShareNames kShare{kByDistance, kByDistancePhases, kByDistanceSinusoid};
constexpr NumberName kOtherRows{"relative_position", "other_rows"};  // its label; named after the rows

std::string at_shift(const NumberName& family, size_t shift) {
  return family.of(std::to_string(shift));
}
/// "all_8".
std::string of_rows(const std::string& rows) {
  return fmt::format("{}_{}", rows, kAnswered);
}

/// "1, 4".
template <class Values>
LocalizedText listed(const Values& values, const char* format = "{}") {
  std::vector<std::string> texts;
  for (const auto value : values)
    texts.push_back(fmt::format(fmt::runtime(format), HalfAwayFromZero{static_cast<double>(value)}));
  return {fmt::format("{}", fmt::join(texts, ", ")), fmt::format("{}", fmt::join(texts, "、"))};
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"shifts", listed(kShifts)}, {"shift", kAnswered},       {"left", kLeftBeyond},  {"exact", kExactShare},
          {"least", kLeastShare},      {"nearly_all", kNearlyAll}, {"far_more", kFarMore}, {"mapped", kMapped}};
}

/// Distances kept at every shift, then what a linear map explains at every shift, then the share by distance.
std::vector<double> kept_of(const PlacedRows& rows) {
  const PairTable distances = squared_distances(rows);
  std::vector<double> shares;
  for (const size_t shift : kShifts) shares.push_back(kept_by_shift(distances, shift));
  const auto linear = explained_by_linear_shifts(rows, kShifts, kMapped);
  shares.insert(shares.end(), linear.begin(), linear.end());
  shares.push_back(share_by_distance(distances));
  return shares;
}

/// The table without rows of outlying norm, which the claim is judged by; and other choices.
struct Rows {
  PlacedRows judged;
  std::vector<size_t> left_out;
  PlacedRows all;
  PlacedRows without_row_0;
};

Rows rows_of(const Table& table) {
  const auto left_out = outlying_rows(table);
  const size_t first[]{0};
  return {.judged = placed_rows(table, left_out),
          .left_out = left_out,
          .all = placed_rows(table),
          .without_row_0 = placed_rows(table, first)};
}

/// The numbers of the claim: own, and the sinusoid's, each with its own nulls.
Numbers numbers_of(const KernelComparisons& own, const KernelComparisons& sine, const KernelDraws& draws) {
  Numbers numbers;
  const LocalizedText of_gaussian = median_of_draws(words_of(SameKernel::gaussian), draws.gaussian);
  const auto own_number = [&](const NumberName& family, size_t i, size_t share, FormatArgs args) {
    args.emplace_back("shift", kShifts[i]);
    return NumberBuilder(family, std::to_string(kShifts[i]), own.own[share], args)
        .null(median_estimate(own.gaussian[share]), of_gaussian)
        .control(sine.own[share], words_of_sinusoid());
  };
  for (size_t i = 0; i < kShifts.size(); ++i) numbers.add(own_number(kKept, i, i, {}));
  for (size_t i = 0; i < kShifts.size(); ++i) {
    const FormatArgs args{{"shift", kShifts[i]}, {"draws", draws.joint_phases}};
    numbers.add(NumberBuilder(kPhases, std::to_string(kShifts[i]), median_estimate(own.joint_phases[i]), args)
                    .null(median_estimate(own.gaussian[i]), of_gaussian)
                    .control(median_estimate(sine.joint_phases[i]), localize("relative_position.of_sinusoid")));
  }
  for (size_t i = 0; i < kShifts.size(); ++i) {
    numbers.add(own_number(kLinear, i, kShifts.size() + i, {{"mapped", kMapped}}));
  }
  for (size_t i = 0; i < kShifts.size(); ++i) {
    numbers.add(NumberBuilder(kSinusoid, std::to_string(kShifts[i]), sine.own[i], {{"shift", kShifts[i]}})
                    .null(median_estimate(sine.gaussian[i]), localize("relative_position.of_sinusoid_kernel"))
                    .control(1, localize("relative_position.one_motion")));
  }
  // If every step were one motion, distances would be told by n − m alone: a share of 1, however many steps there are.
  const ShareWords words{localize("relative_position.of_sinusoid"),
                         localize("relative_position.of_sinusoid_kernel"),
                         localize("relative_position.one_motion"),
                         {{"draws", draws.joint_phases}}};
  add_share(kShare, words, own, sine, 2 * kShifts.size(), draws, numbers);
  return numbers;
}

/// What other choices of rows have at one shift; the null is Gaussian tables with their kernel.
void add_other_rows(const Rows& rows, const KernelComparisons& sine, size_t draws, const Conditions& conditions,
                    Numbers& numbers) {
  const auto at = static_cast<size_t>(std::ranges::find(kShifts, kAnswered) - kShifts.begin());
  const auto add = [&](const std::string& name, const PlacedRows& of) {
    const auto shares = compared_with_kernel(
        of, "relative position " + name, {draws, 0}, conditions,
        [](const PlacedRows& one) { return std::vector<double>{kept_by_shift(squared_distances(one), kAnswered)}; });
    const FormatArgs args{{"shift", kAnswered}, {"rows", localize("relative_position.rows." + name)}};
    numbers.add(NumberBuilder(of_rows(name), kOtherRows.label(args), shares.own[0])
                    .null(median_estimate(shares.gaussian[0]), median_of_draws(words_of(SameKernel::gaussian), draws))
                    .control(sine.own[at], words_of_sinusoid()));
  };
  add("all", rows.all);
  add("without_row_0", rows.without_row_0);
}

/// Lines over shifts, as far as each has rows.
struct Line {
  chart::Series series;
  std::vector<double> shifts;
  std::vector<double> kept;
  std::vector<Interval> band = {};  ///< of draws; empty where nothing was drawn
};

Line line_of(chart::Series series, const PlacedRows& rows) {
  Line line{.series = std::move(series), .shifts = {}, .kept = {}};
  const PairTable distances = squared_distances(rows);
  for (const size_t shift : kShownShifts) {
    if (2 * shift >= rows.span()) continue;
    line.shifts.push_back(static_cast<double>(shift));
    line.kept.push_back(kept_by_shift(distances, shift));
  }
  return line;
}

Line drawn_line(chart::Series series, const std::vector<std::vector<double>>& shares) {
  Line line{.series = std::move(series), .shifts = {kShifts.begin(), kShifts.end()}, .kept = {}};
  for (size_t i = 0; i < kShifts.size(); ++i) {
    line.kept.push_back(median(shares[i]));
    line.band.push_back(middle_95_percent(shares[i]));
  }
  return line;
}

Figure lines_figure(const std::string& file, const std::vector<Line>& lines) {
  using namespace chart;
  const auto text = [](const std::string& name) { return localize("relative_position.figures." + name, settings()); };
  const auto axis_text = [&](const char* name) { return text(std::string("relative-position-skill.") + name); };
  std::vector<double> shift;
  std::vector<double> kept;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<LocalizedText> of;
  std::vector<Series> series;
  constexpr double kLowest = -1;
  double lowest = 0;
  for (const auto& line : lines) {
    series.push_back(line.series);
    for (size_t i = 0; i < line.shifts.size(); ++i) {
      shift.push_back(line.shifts[i]);
      kept.push_back(std::max(kLowest, line.kept[i]));
      low.push_back(line.band.empty() ? kept.back() : std::max(kLowest, line.band[i].low));
      high.push_back(line.band.empty() ? kept.back() : std::max(kLowest, line.band[i].high));
      of.push_back(line.series.words);
      lowest = std::min(lowest, low.back());
    }
  }
  const Json x = logarithmic(number("shift", axis_text("shift"), "d"), {kShownShifts.begin(), kShownShifts.end()});
  const Json y = scaled(number("kept", axis_text("kept"), ".2f"), {{"domain", {lowest < -0.1 ? -1 : 0, 1}}});
  Json bottom = y;
  bottom["field"] = "low";
  Json of_table = coloured("of", axis_text("of"), series);
  // The lines' legend, which the band would make as faint as itself.
  of_table["legend"].update(
      {{"symbolType", "stroke"}, {"symbolSize", 500}, {"symbolOpacity", 1}, {"columnPadding", 36}});
  Json band =
      mark({{"type", "area"}, {"opacity", 0.2}, {"tooltip", nullptr}}, {{"x", x}, {"y", bottom}, {"color", of_table}});
  band["encoding"]["y2"] = {{"field", "high"}};
  return {.name = file,
          .title = text(file + ".title"),
          .caption = text(file + ".caption"),
          .specification = layers(
              {band,
               mark({{"type", "line"}, {"point", true}}, of_lines({{"x", x}, {"y", y}}, "of", axis_text("of"), series)),
               rule("y", 0)}),
          .data = FigureData{{{"shift", shift}, {"kept", kept}, {"low", low}, {"high", high}, {"of", of}}}};
}

std::vector<Figure> figures_of(const Rows& rows, const Table& table, const PlacedRows& sine,
                               const KernelComparisons& own) {
  std::vector<Line> lines{line_of(series_of_table(), rows.judged), line_of(series_of_sinusoid(), sine),
                          drawn_line(series_of(SameKernel::gaussian), own.gaussian),
                          drawn_line(series_of(SameKernel::joint_phases), own.joint_phases)};
  const auto part_series = [](const LocalizedText& words, const chart::Look& look) {
    return chart::Series{words, look};
  };
  std::vector<Line> parts{
      line_of(part_series(localize("relative_position.rows.judged"), {.colour = "@blue", .width = 3}), rows.judged)};
  const std::array<chart::Look, 4> looks{
      chart::Look{.colour = "@red", .dash = {2, 2}}, chart::Look{.colour = "@purple", .dash = {4, 2}},
      chart::Look{.colour = "@green", .dash = {8, 2}}, chart::Look{.colour = "@orange", .dash = {6, 3, 2, 3}}};
  for (size_t i = 0; const auto& part : position_parts(table)) {
    // Of the two parts, rows of outlying norm are left out too: they are about ordinary positions.
    const size_t first = part.name == "from_128" ? static_cast<size_t>(kShortSequence) : 0;
    const bool is_part = part.name == "below_128" || part.name == "from_128";
    const auto of = part.name == "all" ? rows.all
                    : !is_part         ? rows.without_row_0
                                       : placed_rows(part.rows, rows.left_out, first);
    if (of.rows.rows() < kLeastPart) continue;
    parts.push_back(line_of(part_series(part.words, looks[i++]), of));
  }
  return {lines_figure("relative-position-skill", lines), lines_figure("relative-position-settings", parts)};
}

Findings run_relative_position(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  const Rows rows = rows_of(table);
  if (const auto gap = lacking(rows.judged.rows, kLeastShiftedRows, 2)) {
    findings.gaps["3.5"] = *gap;
    return findings;
  }
  const KernelSizes& sizes = conditions.quick ? kQuickKernelSizes : kFullKernelSizes;
  if (conditions.quick) {
    findings.left_out.push_back(
        localize("relative_position.left_out", {{"few", kQuickKernelSizes.table.gaussian},
                                                {"few_phases", kQuickKernelSizes.table.joint_phases},
                                                {"many", kFullKernelSizes.table.gaussian},
                                                {"many_phases", kFullKernelSizes.table.joint_phases}}));
  }
  const KernelComparisons own =
      compared_with_kernel(rows.judged, "relative position", sizes.table, conditions, kept_of);
  conditions.progress(0.6);
  const PlacedRows sine = placed_rows(sinusoid_like(table), rows.left_out);
  const KernelComparisons of_sine =
      compared_with_kernel(sine, "relative position of a sinusoid", sizes.sinusoid, conditions, kept_of);
  conditions.progress(0.8);
  findings.numbers["3.5"] = numbers_of(own, of_sine, sizes.table);
  add_other_rows(rows, of_sine, sizes.other_rows, conditions, findings.numbers["3.5"]);
  conditions.progress(0.9);
  findings.remarks.push_back(localize("relative_position.remark", {{"rows", list_of(rows.left_out)}}));
  findings.figures = figures_of(rows, table, sine, own);
  conditions.progress(1);
  return findings;
}

/// A table's share at every shift with its nulls, and that of its distances that n − m tells.
struct Shares {
  std::array<KernelComparison, kShifts.size()> kept;
  KernelComparison by_distance;
};

Shares own_shares(const Numbers& numbers) {
  Shares shares;
  for (size_t i = 0; i < kShifts.size(); ++i) {
    const Number& kept = numbers.at(at_shift(kKept, kShifts[i]));
    shares.kept[i] = {kept.value, *kept.null->interval, *numbers.at(at_shift(kPhases, kShifts[i])).interval};
  }
  shares.by_distance = own_share(kShare, numbers);
  return shares;
}

Shares shares_of_sinusoid(const Numbers& numbers) {
  Shares shares;
  for (size_t i = 0; i < kShifts.size(); ++i) {
    const Number& kept = numbers.at(at_shift(kSinusoid, kShifts[i]));
    shares.kept[i] = {kept.value, *kept.null->interval, *numbers.at(at_shift(kPhases, kShifts[i])).control->interval};
  }
  shares.by_distance = sinusoid_share(kShare, numbers);
  return shares;
}

/// Whether no linear map either, of which motions are one kind, takes rows k further: at some k it explains too little.
bool is_no_linear_map(const Numbers& numbers) {
  return std::ranges::any_of(kShifts, [&](size_t shift) {
    const Number& linear = numbers.at(at_shift(kLinear, shift));
    return is_below(linear.value, *linear.null->interval);
  });
}

/// The rule, the same for the table and for the positive control.
Observation evaluate(const Shares& shares) {
  const auto is = [](Standing wanted) {
    return [wanted](const KernelComparison& share) { return standing(share) == wanted; };
  };
  if (std::ranges::any_of(shares.kept, is(Standing::below))) return Observation::fails;
  const bool all_kept = std::ranges::all_of(shares.kept, is(Standing::beyond));
  // Motions of a step that keep distances well enough for a few steps need not do so for all.
  return all_kept && is(Standing::beyond)(shares.by_distance) ? Observation::holds : Observation::cannot_be_told;
}

/// Where a share is least beyond its kernel: at its standing, the least share; that by distance where no shift says no.
std::string deciding_share(const Shares& shares) {
  const auto* least = std::ranges::max_element(
      shares.kept, {}, [](const KernelComparison& share) { return std::pair(standing(share), -share.own); });
  if (standing(*least) == Standing::beyond && standing(shares.by_distance) != Standing::beyond) return kByDistance.name;
  return at_shift(kKept, kShifts[static_cast<size_t>(least - shares.kept.begin())]);
}

Verdict judge_relative_position(const Numbers& numbers) {
  const Shares own = own_shares(numbers);
  const bool control_passes = evaluate(shares_of_sinusoid(numbers)) == Observation::holds;
  Verdict verdict;
  verdict.observation = observation_if(control_passes, evaluate(own));
  if (verdict.observation == Observation::fails && !is_no_linear_map(numbers)) {
    verdict.observation = Observation::cannot_be_told;
  }
  verdict.number = deciding_share(own);
  // A few long rows may hold most of the distances: what is so of the others alone is not so of the table.
  if (verdict.observation == Observation::holds && numbers.value(of_rows("without_row_0")) < kLeastShare) {
    verdict.observation = Observation::cannot_be_told;
    verdict.number = of_rows("without_row_0");
  }
  // Whatever is measured: turned into any directions, also those of the tokens, a table keeps all of it.
  verdict.inference = Inference::does_not_follow;
  std::array<double, kShifts.size()> kept{};
  std::array<double, kShifts.size()> low{};
  std::array<double, kShifts.size()> high{};
  std::array<double, kShifts.size()> linear{};
  for (size_t i = 0; i < kShifts.size(); ++i) {
    linear[i] = numbers.value(at_shift(kLinear, kShifts[i]));
    kept[i] = own.kept[i].own;
    low[i] = own.kept[i].gaussian.low;
    high[i] = own.kept[i].gaussian.high;
  }
  const double all = numbers.value(of_rows("all"));
  const double judged_rows = numbers.value(at_shift(kKept, kAnswered));
  const LocalizedText with_all =
      std::abs(all - judged_rows) < kRowsMatter
          ? LocalizedText{}
          : localize("relative_position.reason.all_rows", {{"shift", kAnswered}, {"all", all}});
  verdict.reason =
      localize(control_passes ? "relative_position.reason.measured" : "relative_position.reason.no_control",
               {{"shifts", listed(kShifts)},
                {"own", listed(kept, "{:.2f}")},
                {"low", listed(low, "{:.2f}")},
                {"high", listed(high, "{:.2f}")},
                {"linear", listed(linear, "{:.2f}")},
                {"mapped", kMapped},
                {"told", own.by_distance.own},
                {"told_by_chance", own.by_distance.gaussian.high},
                {"with_all", with_all}});
  return verdict;
}

LocalizedText answer_relative_position(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("3.5")) return gap_answer(findings.gaps.at("3.5"));
  const Numbers& numbers = findings.numbers.at("3.5");
  const Observation observation = verdicts.at("3.5").observation;
  const char* answer = observation == Observation::holds   ? "relative_position.answer.holds"
                       : observation == Observation::fails ? "relative_position.answer.fails"
                                                           : "relative_position.answer.not_told";
  const Number& near = numbers.at(at_shift(kKept, kAnswered));
  const Number& far = numbers.at(at_shift(kKept, kShifts.back()));
  return localize(answer, {{"near", kAnswered},
                           {"far", kShifts.back()},
                           {"own_near", near.value},
                           {"own_far", far.value},
                           {"low_near", near.null->interval->low},
                           {"high_near", near.null->interval->high},
                           {"low_far", far.null->interval->low},
                           {"high_far", far.null->interval->high}});
}

}  // namespace
}  // namespace relative_position

Experiment relative_position_experiment() {
  using namespace relative_position;
  Experiment experiment = described_experiment("relative_position", settings());
  experiment.effort = 27;
  experiment.rules = {described_rule("relative_position", "3.5", judge_relative_position, settings(),
                                     {.kind = Kind::data, .claim = "3.3"})};
  // One motion at every step is one way to hold relative position; circles that drift, or ellipses, are others.
  experiment.rules.front().supporting_only = true;
  experiment.rules.front().revision = 1;  // linear maps of the leading components exactly
  experiment.run = run_relative_position;
  experiment.answer = answer_relative_position;
  return experiment;
}

}  // namespace summand::lab
