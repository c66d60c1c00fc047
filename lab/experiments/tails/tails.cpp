// E2: do large values lie at early positions, and does padding explain it?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/tails/step_of_norms.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/change_point.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace tails {
namespace {

constexpr double kSigmaOfBert = 0.02;
constexpr double kSigmas = 2;
// From planted tables: white noise and smooth noise of length 12 have 0.8 to 1.2, so that above 1.5 is much more and
// below 1.25 is no more; a random walk may have 2, its own lag kernel too, which the rule asks for besides.
constexpr double kMuchMore = 1.5;
constexpr double kNoMore = 1.25;
constexpr double kNothing = 1.05;  // times as many: less leaves nothing to explain
constexpr double kLevel = 0.01;
constexpr size_t kBlockRows = 8;  // rows that are drawn or permuted together: neighbours resemble each other
constexpr size_t kLeverageComponents = 16;

constexpr NumberName kRatio{"tails", "early_to_late"};
constexpr NumberName kRatioJoint{"tails", "early_to_late_beside_joint_phases"};
constexpr NumberName kRatioAll{"tails", "early_to_late_all_rows"};
constexpr NumberName kRatioOutlying{"tails", "early_to_late_with_outlying"};
constexpr NumberName kRatioRaw{"tails", "early_to_late_raw"};
constexpr NumberName kEarly{"tails", "early"};
constexpr NumberName kLate{"tails", "late"};
constexpr NumberName kPEarly{"tails", "p_early"};
constexpr NumberName kPlace{"tails", "place"};
constexpr NumberName kPChangeThere{"tails", "p_change_there"};
constexpr NumberName kBestChange{"tails", "best_change"};
constexpr NumberName kPBestChange{"tails", "p_best_change"};
constexpr NumberName kLeverage{"tails", "largest_leverage"};
constexpr NumberName kLeverageRow{"tails", "row_of_largest_leverage"};

/// How much is drawn.
struct Size {
  size_t permutations = 5000;
  size_t resamplings = 1000;
  size_t tables = 40;  ///< of each kind with the same lag kernel
};
constexpr Size kFull{};
constexpr Size kQuick{.permutations = 500, .resamplings = 200, .tables = 20};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"short", kShortSequence}, {"least", kShortSequence + kLeastPart},
          {"sigmas", kSigmas},       {"assumed", kSigmaOfBert},
          {"much", kMuchMore},       {"no_more", kNoMore},
          {"nothing", kNothing},     {"level", kLevel},
          {"block", kBlockRows},     {"components", kLeverageComponents}};
}

/// Rows of a table, the first of which stand before the place where short sequences end.
struct Split {
  Table rows;
  size_t place = 0;  ///< row
};

Split split_of(const PlacedRows& rows, size_t place) {
  const auto early = std::ranges::lower_bound(rows.at, place) - rows.at.begin();
  return {.rows = rows.rows, .place = static_cast<size_t>(early)};
}

/// Of each row the fraction of entries beyond the threshold.
std::vector<double> fractions_beyond(const Table& table, double threshold) {
  std::vector<double> fractions;
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    fractions.push_back(tail_fraction({table.row(row).data(), static_cast<size_t>(table.cols())}, threshold));
  }
  return fractions;
}

/// Of the median row, the mean row taken away.
double typical_deviation(const Table& around) {
  const Vector squares = around.rowwise().squaredNorm() / static_cast<double>(around.cols());
  return std::sqrt(median(elements(squares)));
}

/// Beyond two deviations of the median row, the mean row taken away.
std::vector<double> tails_of(const Table& table) {
  const Table around = centred(table);
  return fractions_beyond(around, kSigmas * typical_deviation(around));
}

struct Halves {
  double early = 0;
  double late = 0;
  [[nodiscard]] double ratio() const { return late > 0 ? early / late : early > 0 ? 1e3 : 1; }
};

/// Means below and from the place where short sequences end; of a shorter table, of its halves.
Halves halves_of(std::span<const double> tails, size_t place) {
  return {.early = mean(tails.first(place)), .late = mean(tails.subspan(place))};
}

double ratio_of(const Split& split) {
  return halves_of(tails_of(split.rows), split.place).ratio();
}

/// Blocks of each half drawn anew.
Interval interval_of(const std::vector<double>& tails, size_t place, const Draws& draws) {
  const auto resampled = [](std::span<const double> part, RandomStream& stream) {
    const size_t block = std::min(kBlockRows, part.size());
    double sum = 0;
    for (size_t at = 0; at < part.size(); at += block) {
      const size_t first = stream.below(part.size() - block + 1);
      for (size_t i = 0; i < std::min(block, part.size() - at); ++i) sum += part[first + i];
    }
    return sum / static_cast<double>(part.size());
  };
  const std::span<const double> all(tails);
  return middle_95_percent(drawn(draws, [&](RandomStream& stream) {
    const double early = resampled(all.first(place), stream);
    return Halves{.early = early, .late = resampled(all.subspan(place), stream)}.ratio();
  }));
}

/// How much the early fraction exceeds the late one in tables of the same rows in another order.
double p_of_ratio(const std::vector<double>& tails, size_t place, const Draws& draws) {
  const double observed = halves_of(tails, place).ratio();
  const auto null = drawn(draws, [&](RandomStream& stream) {
    const size_t blocks = (tails.size() + kBlockRows - 1) / kBlockRows;
    std::vector<size_t> order(blocks);
    for (size_t i = 0; i < blocks; ++i) order[i] = i;
    stream.shuffle(std::span(order));
    std::vector<double> shuffled;
    for (const size_t block : order) {
      for (size_t row = block * kBlockRows; row < std::min(tails.size(), (block + 1) * kBlockRows); ++row) {
        shuffled.push_back(tails[row]);
      }
    }
    return halves_of(shuffled, place).ratio();
  });
  return permutation_p(observed, null, Tail::greater);
}

/// How much of a table's first components each row owns.
std::vector<double> leverages_of(const Table& table) {
  const auto components = principal_components(table, kLeverageComponents);
  const Vector leverage = summand::lab::leverages(components).rowwise().sum();
  return {leverage.begin(), leverage.end()};
}

Estimate ratio_with_interval(const std::vector<double>& tails, size_t place, const Conditions& conditions) {
  return {.value = halves_of(tails, place).ratio(),
          .interval = interval_of(tails, place,
                                  {.seed = conditions.seed,
                                   .name = "tails: blocks",
                                   .count = size_of(conditions).resamplings,
                                   .threads = conditions.threads})};
}

/// What is measured of one table's fractions.
struct Measures {
  std::vector<double> fractions;
  Halves halves;
  Interval ratio;
  double p_early = 1;
  ChangePoint there;  ///< where short sequences end
  ChangePoint best;   ///< wherever it is largest
};

Measures measures_of(const Split& split, const Conditions& conditions) {
  constexpr ChangeSettings kSettings{.margin = kBlockRows, .block = kBlockRows};
  const Draws permuted{.seed = conditions.seed,
                       .name = "tails: permutation",
                       .count = size_of(conditions).permutations,
                       .threads = conditions.threads};
  Measures result{.fractions = tails_of(split.rows),
                  .halves = {},
                  .ratio = {.low = 1, .high = 1},
                  .p_early = 1,
                  .there = {.place = split.place},
                  .best = {.place = split.place}};
  result.halves = halves_of(result.fractions, split.place);
  // Rows may have as many as each other: nothing changes.
  if (standard_deviation(result.fractions) == 0) return result;
  result.ratio = ratio_with_interval(result.fractions, split.place, conditions).interval;
  result.p_early = p_of_ratio(result.fractions, split.place, permuted);
  result.there = change_at(result.fractions, split.place, kSettings, permuted);
  result.best = best_change_point(result.fractions, kSettings, permuted);
  return result;
}

/// In random order, or the table's own late rows may outweigh what is planted.
Split doubled(const Split& split, RandomStream& stream) {
  Split planted{.rows = row_shuffled(centred(split.rows), stream), .place = split.place};
  planted.rows.topRows(static_cast<Eigen::Index>(split.place)) *= kPlantedTimes;
  return planted;
}

/// Tables whose rows have the same inner products by distance, alike everywhere: their ratios, by kind.
using SameKernelRatios = std::array<std::vector<double>, kSameKernels.size()>;

SameKernelRatios same_kernel_ratios(const PlacedRows& ordinary, size_t place, const Conditions& conditions) {
  const SameKernelTables tables(ordinary);
  const size_t count = size_of(conditions).tables;
  SameKernelRatios ratios;
  for (auto& of_kind : ratios) of_kind.resize(count);
  run_tasks(conditions, count * kSameKernels.size(), [&](size_t task) {
    const size_t kind = task / count;
    RandomStream stream(conditions.seed, fmt::format("tails: {} {}", name_of(kSameKernels[kind]), task % count));
    ratios[kind][task % count] = ratio_of(split_of(tables.draw(kSameKernels[kind], stream), place));
  });
  return ratios;
}

/// The null is the same rows in random order.
struct Tails {
  Controlled<Measures> measures;              ///< of ordinary rows, which the claim is judged by
  Controlled<std::vector<double>> leverages;  ///< of all rows: those that stand out have the largest
  SameKernelRatios same_kernel;
  double all_rows = 1;     ///< ratio of all rows
  Estimate with_outlying;  ///< but for row 0, where it is one of them
  double raw = 1;          ///< beyond two declared sigmas, as the rows lie in the file
};

double largest(const std::vector<double>& leverages) {
  return std::ranges::max(leverages);
}
double row_of_largest(const std::vector<double>& leverages) {
  return static_cast<double>(std::ranges::max_element(leverages) - leverages.begin());
}

/// @param at  positions of the rows that are judged
Numbers numbers_of(const Tails& tails, size_t place, const std::vector<size_t>& at) {
  Numbers numbers;
  const Measures& own = tails.measures.own;
  const Measures& control = tails.measures.control;
  const LocalizedText of_shuffled = localize("tails.beside.shuffled");
  const LocalizedText of_control = localize("tails.beside.doubled");
  const auto same_kernel = [&](NumberBuilder number, size_t kind) {
    const auto& values = tails.same_kernel[kind];
    return number.null(median_estimate(values), median_of_draws(words_of(kSameKernels[kind]), values.size()))
        .control(control.halves.ratio(), of_control, control.ratio);
  };
  numbers.add(same_kernel(NumberBuilder(kRatio, own.halves.ratio(), settings()).interval(own.ratio), 0));
  numbers.add(same_kernel(NumberBuilder(kRatioJoint, own.halves.ratio(), settings()).interval(own.ratio), 1));
  numbers.add(same_kernel(NumberBuilder(kRatioAll, tails.all_rows, settings()), 0));
  numbers.add(same_kernel(NumberBuilder(kRatioOutlying, tails.with_outlying, settings()), 0));
  numbers.add(same_kernel(NumberBuilder(kRatioRaw, tails.raw, settings()), 0));
  const NumberAdder with_references(numbers, tails.measures, of_shuffled, of_control);
  const auto measure = [&](const NumberName& name, const auto& of) { with_references(name, settings(), of); };
  measure(kEarly, [](const Measures& one) { return one.halves.early; });
  measure(kLate, [](const Measures& one) { return one.halves.late; });
  measure(kPEarly, [](const Measures& one) { return one.p_early; });
  const LocalizedText fixed = localize("tails.beside.fixed");
  const auto split = static_cast<double>(place);
  numbers.add(NumberBuilder(kPlace, split).null(split, fixed).control(split, fixed));
  measure(kPChangeThere, [](const Measures& one) { return one.there.p; });
  measure(kBestChange, [&](const Measures& one) { return static_cast<double>(at[one.best.place]); });
  measure(kPBestChange, [](const Measures& one) { return one.best.p; });
  const NumberAdder leverage(numbers, tails.leverages, of_shuffled, of_control);
  leverage(kLeverage, settings(), largest);
  leverage(kLeverageRow, settings(), row_of_largest);
  return numbers;
}

std::vector<double> positions_of(size_t count) {
  std::vector<double> positions(count);
  for (size_t i = 0; i < count; ++i) positions[i] = static_cast<double>(i);
  return positions;
}

Figure ternary_map(const Table& table, double threshold) {
  const auto text = [](const char* name) {
    return localize(std::string("tails.figures.tails-map.") + name, settings());
  };
  MatrixData matrix{.rows = static_cast<size_t>(table.rows()),
                    .columns = static_cast<size_t>(table.cols()),
                    .values = {},
                    .row_label = text("row"),
                    .column_label = text("column"),
                    .value_label = text("value"),
                    .low = -kSigmas,
                    .high = kSigmas,
                    .scale = MatrixData::Scale::ternary};
  for (const double value : elements(table)) {
    matrix.values.push_back(static_cast<float>(kSigmas * value / threshold));
  }
  return {.name = "tails-map",
          .title = text("title"),
          .caption = text("caption"),
          .specification = {},
          .data = std::move(matrix)};
}

/// Of all rows, those that stand out too.
/// @param best  position of the largest change
Figure tails_curve(const std::vector<double>& fraction, const std::vector<double>& leverage, size_t place,
                   size_t best) {
  using namespace chart;
  const auto text = [](const char* name, FormatArgs args = settings()) {
    return localize(std::string("tails.figures.tails-by-position.") + name, args);
  };
  const auto curve = [&](const char* field) {
    return mark({{"type", "line"}, {"strokeWidth", 1.5}},
                {{"x", whole("position", text("position"))}, {"y", number(field, text(field))}});
  };
  const auto early = static_cast<double>(place);
  const auto change = static_cast<double>(best);
  const Json fractions = layers({curve("fraction"), rule("x", early), rule("x", change),
                                 rule_label("x", early, text("early", {{"place", place}})),
                                 rule_label("x", change, text("change", {{"place", best}}), 16)});
  const Json leverages = layers({curve("leverage"), rule("x", early)});
  return {.name = "tails-by-position",
          .title = text("title"),
          .caption = text("caption"),
          .specification = side_by_side({fractions, leverages}, {.least = 320, .most = 2}),
          .data = FigureData{
              {{"position", positions_of(fraction.size())}, {"fraction", fraction}, {"leverage", leverage}}}};
}

/// Why a table has no early and late tails, if it has none.
std::optional<LocalizedText> gap_of(const Table& table) {
  if (table.rows() < 2 * kLeastPart) {
    return localize("tails.gaps.few_positions", {{"least", 2 * kLeastPart}, {"positions", table.rows()}});
  }
  if (lacking(table, 2 * kLeastPart, 1)) return localize("tails.gaps.all_alike");
  const auto fractions = tails_of(table);
  if (std::ranges::min(fractions) == std::ranges::max(fractions)) return localize("tails.gaps.all_alike");
  return {};
}

Findings run_tails(const Subject& subject, const Conditions& conditions) {
  const Table table = seen_positions(subject);
  Findings findings;
  if (const auto gap = gap_of(table)) {
    findings.gaps["E2"] = *gap;
    return findings;
  }
  const double declared = kSigmas * (subject.model ? subject.model->config().initializer_range : kSigmaOfBert);
  const bool has_128 = table.rows() >= kShortSequence + kLeastPart;
  const auto place = static_cast<size_t>(has_128 ? kShortSequence : table.rows() / 2);
  const auto outlying = outlying_rows(table);
  PlacedRows ordinary = placed_rows(table, outlying);
  // All rows but those may be one.
  if (lacking(ordinary.rows, 2 * kLeastPart, 1)) ordinary = placed_rows(table);
  const Split judged = split_of(ordinary, place);
  // Row 0 may lie in [CLS]'s token row as well.
  const bool row_0_is_ordinary = ordinary.at.front() == 0;
  const size_t row_0[]{0};
  const Split with_outlying = split_of(row_0_is_ordinary ? placed_rows(table) : placed_rows(table, row_0), place);
  RandomStream order(conditions.seed, "tails: rows shuffled");
  RandomStream planted(conditions.seed, "tails: control");
  const Split shuffled{.rows = row_shuffled(judged.rows, order), .place = judged.place};
  const Split control = doubled(judged, planted);
  Tails tails{.measures = {measures_of(judged, conditions), measures_of(shuffled, conditions),
                           measures_of(control, conditions)},
              .leverages = {leverages_of(table), leverages_of(shuffled.rows), leverages_of(control.rows)},
              .same_kernel = {},
              .all_rows = ratio_of({.rows = table, .place = place}),
              .with_outlying = ratio_with_interval(tails_of(with_outlying.rows), with_outlying.place, conditions),
              .raw = halves_of(fractions_beyond(table, declared), place).ratio()};
  conditions.progress(0.4);
  tails.same_kernel = same_kernel_ratios(ordinary, place, conditions);
  findings.numbers["E2"] = numbers_of(tails, place, ordinary.at);
  add_step_of_norms(table, conditions, findings.numbers["E2"]);
  findings.figures.push_back(
      tails_curve(tails_of(table), tails.leverages.own, place, ordinary.at[tails.measures.own.best.place]));
  findings.figures.push_back(ternary_map(table, declared));
  if (!subject.model) findings.remarks.push_back(localize("tails.remarks.assumed", settings()));
  if (!has_128) findings.remarks.push_back(localize("tails.remarks.middle", {{"place", place}}));
  if (conditions.quick) {
    const auto many = [](size_t count) { return fmt::format("{}", fmt::group_digits(count)); };
    findings.left_out.push_back(localize("tails.left_out", {{"few", kQuick.permutations},
                                                            {"many", many(kFull.permutations)},
                                                            {"few_resamplings", kQuick.resamplings},
                                                            {"many_resamplings", many(kFull.resamplings)},
                                                            {"few_tables", kQuick.tables},
                                                            {"many_tables", kFull.tables}}));
  }
  conditions.progress(1);
  return findings;
}

struct RuleInputs {
  double ratio = 1;
  Interval interval;
  double p = 1;
};

Observation evaluate(const RuleInputs& one, double chance) {
  if (one.interval.low >= kMuchMore && one.ratio > chance && one.p < kLevel) return Observation::holds;
  return one.interval.high < kNoMore ? Observation::fails : Observation::cannot_be_told;
}

Verdict judge_tails(const Numbers& numbers) {
  const Number& number = numbers.at(kRatio);
  const double chance = std::max(number.null->interval->high, numbers.at(kRatioJoint).null->interval->high);
  const RuleInputs own{number.value, *number.interval, numbers.value(kPEarly)};
  const Number& outlying = numbers.at(kRatioOutlying);
  const RuleInputs with_outlying{outlying.value, *outlying.interval, own.p};
  const RuleInputs control{number.control->value, *number.control->interval, numbers.control(kPEarly)};
  Verdict verdict;
  verdict.observation = observation_if(evaluate(control, chance) == Observation::holds, evaluate(own, chance));
  const bool outlying_tell_else = evaluate(with_outlying, chance) != evaluate(own, chance);
  if (outlying_tell_else) verdict.observation = Observation::cannot_be_told;
  const double joint = numbers.at(kRatioJoint).null->interval->high;
  verdict.number =
      outlying_tell_else
          ? kRatioOutlying.name
          : deciding_number({{kRatio, own.interval.low >= kMuchMore && own.ratio > number.null->interval->high},
                             {kRatioJoint, own.ratio > joint},
                             {kPEarly, own.p < kLevel}});
  const double most = std::max(own.interval.high, with_outlying.interval.high);
  if (verdict.observation == Observation::fails && most < kNothing) {
    verdict.inference = Inference::does_not_follow;
    verdict.conclusion = Truth::false_here;  // they are not rare there, whatever the cause
  } else {
    verdict.inference = Inference::not_tested;
  }
  verdict.reason = localize("tails.reason", {{"early", numbers.value(kEarly)},
                                             {"late", numbers.value(kLate)},
                                             {"ratio", own.ratio},
                                             {"low", own.interval.low},
                                             {"high", own.interval.high},
                                             {"chance", chance},
                                             {"all_rows", numbers.value(kRatioAll)},
                                             {"with_outlying", outlying.value},
                                             {"outlying_low", outlying.interval->low},
                                             {"outlying_high", outlying.interval->high}});
  return verdict;
}

LocalizedText answer_tails(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E2")) return gap_answer(findings.gaps.at("E2"));
  const Numbers& numbers = findings.numbers.at("E2");
  const Number& ratio = numbers.at(kRatio);
  const auto seen = verdicts.at("E2").observation;
  const bool reverse = ratio.interval->high < 1;
  const char* verdict = seen == Observation::holds   ? "tails.verdicts.holds"
                        : seen != Observation::fails ? "tails.verdicts.cannot_be_told"
                        : reverse                    ? "tails.verdicts.reverse"
                                                     : "tails.verdicts.fails";
  return localize("tails.answer", {{"verdict", localize(verdict)},
                                   {"sigmas", kSigmas},
                                   {"ratio", ratio.value},
                                   {"place", numbers.value(kPlace)},
                                   {"step", words_of_step(numbers)}});
}

}  // namespace
}  // namespace tails

Experiment tails_experiment() {
  using namespace tails;
  Experiment experiment = described_experiment("tails", settings());
  experiment.effort = 2;
  experiment.rules = {described_rule("tails", "E2", judge_tails, settings())};
  experiment.run = run_tails;
  experiment.answer = answer_tails;
  return experiment;
}

}  // namespace summand::lab
