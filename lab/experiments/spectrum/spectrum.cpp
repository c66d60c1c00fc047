// E3: how many principal components does the position table have, and do its coordinates depend on each other?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/ordinary_rows.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace spectrum {
namespace {

constexpr double kShare = 0.01;
constexpr double kLength = 12;             // of the Gaussian process, in positions
constexpr Eigen::Index kPlantedRank = 18;  // what document 002 counts
constexpr double kPlantedNoise = 0.05;
constexpr Eigen::Index kBlock = 16;  // rows left out together: neighbours resemble each other
constexpr Eigen::Index kShown = 40;
constexpr size_t kFewest = 9;    // half the document's 18 …
constexpr size_t kMost = 36;     // … and twice
constexpr double kHeld = 0.8;    // by the first 18: most of the variance
constexpr double kLittle = 0.5;  // less than this is not
// Of what independent columns with the same lag kernel leave. From planted tables: a random walk leaves 0.8 of it,
// smooth noise 1.0, a sinusoid 1.1; columns that depend on 12 or 18 others, as walks or as noise, 0.1 at most.
constexpr double kHalfAsMuch = 0.5;
constexpr double kAsMuch = 0.75;

constexpr NumberName kCount{"spectrum", "components_above_1_percent"};
constexpr NumberName kRank{"spectrum", "effective_rank"};
constexpr NumberName kFirst{"spectrum", "first_component"};
constexpr NumberName kLeading{"spectrum", "first_18_components"};
constexpr NumberName kLeft{"spectrum", "left_by_18"};
constexpr NumberName kSmoothCount{"spectrum", "smooth_components_above_1_percent"};
constexpr NumberName kSmoothLeading{"spectrum", "smooth_first_18_components"};

/// How much is drawn.
struct Size {
  size_t draws = 20;
  size_t same_kernel = 40;
};
constexpr Size kFull{};
constexpr Size kQuick{.draws = 3, .same_kernel = 20};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"percent", 100 * kShare}, {"short", kShortSequence}, {"block", kBlock}, {"length", kLength},
          {"rank", kPlantedRank},    {"fewest", kFewest},       {"most", kMost},   {"held", kHeld},
          {"little", kLittle},       {"as_much", kAsMuch}};
}

double above(const Vector& shares) {
  return static_cast<double>(components_above(shares, kShare));
}

double leading(const Vector& shares) {
  return shares.head(std::min<Eigen::Index>(kPlantedRank, shares.size())).sum();
}

/// Smooth, of this rank but for a little noise, all components of like size.
Table planted(Shape shape, RandomStream& stream) {
  const Shape thin{.rows = shape.rows, .columns = static_cast<size_t>(kPlantedRank)};
  const Table scores = white_noise(thin, stream);
  const Table directions = white_noise({thin.columns, shape.columns}, stream);
  return scores * directions / std::sqrt(static_cast<double>(kPlantedRank)) +
         kPlantedNoise * white_noise(shape, stream);
}

struct DrawnShares {
  std::vector<Vector> shares;

  [[nodiscard]] double middle(const std::function<double(const Vector&)>& of) const {
    std::vector<double> values;
    for (const auto& one : shares) values.push_back(of(one));
    return median(values);
  }
};

DrawnShares shares_of(const Conditions& conditions, const std::string& name, size_t draws,
                      const std::function<Table(RandomStream&)>& draw) {
  DrawnShares drawn{.shares = std::vector<Vector>(draws)};
  run_tasks(conditions, draws, [&](size_t i) {
    RandomStream stream(conditions.seed, fmt::format("spectrum: {} {}", name, i));
    drawn.shares[i] = variance_shares(draw(stream));
  });
  return drawn;
}

/// The part's shares of variance, and those of as many rows of white noise and of the planted table.
MeasuredWithNullAndControl<Vector> measured_shares(const PositionPart& part, size_t draws,
                                                   const Conditions& conditions) {
  const Shape shape{.rows = static_cast<size_t>(part.rows.rows()), .columns = static_cast<size_t>(part.rows.cols())};
  const std::string of_part = part.name == "all" ? "" : " " + part.name;
  RandomStream stream(conditions.seed, "spectrum: planted" + of_part);
  return {.own = variance_shares(part.rows),
          .nulls = shares_of(conditions, "white noise" + of_part, draws,
                             [&](auto& draw) { return white_noise(shape, draw); })
                       .shares,
          .control = variance_shares(planted(shape, stream)),
          .of_null = words_of_median(Surrogate::white_noise, draws),
          .of_control = localize("spectrum.planted", settings())};
}

/// Range of the count over the whole table and the table without any one block of rows. A bootstrap would draw rows
/// twice, lack directions, and count too few components.
Interval interval_of_number(const Table& table, const Conditions& conditions) {
  const auto blocks = static_cast<size_t>((table.rows() + kBlock - 1) / kBlock);
  std::vector<double> counts(blocks);
  run_tasks(conditions, blocks, [&](size_t block) {
    std::vector<Eigen::Index> kept;
    for (Eigen::Index row = 0; row < table.rows(); ++row) {
      if (row / kBlock != static_cast<Eigen::Index>(block)) kept.push_back(row);
    }
    const Table rest = table(kept, Eigen::all);
    // It may have been the only rows that differ.
    counts[block] = lacking(rest, 2, 1) ? 0 : above(variance_shares(rest));
  });
  counts.push_back(above(variance_shares(table)));
  const auto [least, most] = std::ranges::minmax(counts);
  return {.low = least, .high = most};
}

/// What the first 18 components leave of the variance; the null is tables of the same lag kernel with independent
/// columns.
/// @param ordinary  rows that stand out left out: each is a component of its own
Number residual_share(const PlacedRows& ordinary, const Vector& control, const Conditions& conditions) {
  const SameKernelTables tables(ordinary);
  const auto left = [](const Vector& shares) { return std::max(0.0, 1 - leading(shares)); };
  std::vector<double> drawn(size_of(conditions).same_kernel);
  run_tasks(conditions, drawn.size(), [&](size_t i) {
    RandomStream stream(conditions.seed, fmt::format("spectrum: {} {}", name_of(SameKernel::gaussian), i));
    drawn[i] = left(variance_shares(tables.draw(SameKernel::gaussian, stream).rows));
  });
  return NumberBuilder(kLeft, left(variance_shares(ordinary.rows)), settings())
      .null(median_estimate(drawn), median_of_draws(words_of(SameKernel::gaussian), drawn.size()))
      .control(left(control), localize("spectrum.planted", settings()));
}

/// The share of one component in every draw.
std::vector<double> shares_at(const DrawnShares& drawn, Eigen::Index component) {
  std::vector<double> values;
  for (const auto& one : drawn.shares) values.push_back(one(component));
  return values;
}

/// One line per table, component by component; of drawn tables the median, and a band of 95 % of the draws.
Figure scree(const Vector& table, const DrawnShares& white, const DrawnShares& smooth, const Vector& control) {
  using namespace chart;
  std::vector<double> component;
  std::vector<double> share;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<LocalizedText> which;
  std::vector<Series> series;
  const auto add = [&](Eigen::Index i, double value, const Interval& band) {
    component.push_back(static_cast<double>(i + 1));
    share.push_back(value);
    low.push_back(band.low);
    high.push_back(band.high);
    which.push_back(series.back().words);
  };
  const auto add_table = [&](const Vector& shares, const Series& one) {
    series.push_back(one);
    for (Eigen::Index i = 0; i < std::min(kShown, shares.size()); ++i) add(i, shares(i), {shares(i), shares(i)});
  };
  const auto add_drawn = [&](const DrawnShares& drawn, const Series& one) {
    series.push_back(one);
    for (Eigen::Index i = 0; i < std::min(kShown, drawn.shares.front().size()); ++i) {
      const auto values = shares_at(drawn, i);
      add(i, median(values), middle_95_percent(values));
    }
  };
  add_table(table, series_of_table());
  add_drawn(smooth, series_of(Surrogate::gaussian_process));
  add_drawn(white, series_of(Surrogate::white_noise));
  const auto text = [](const char* name) {
    return localize(std::string("spectrum.figures.spectrum-shares.") + name, settings());
  };
  add_table(control, {text("planted"), {.colour = "@sky", .dash = {8, 2}}});
  const LocalizedText of = text("of");
  const Json x = whole("component", text("component"));
  const Json y = logarithmic(number("share", text("share"), ".4f"), {1, 0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001});
  Json bottom = y;
  bottom["field"] = "low";
  Json band =
      mark({{"type", "area"}, {"tooltip", nullptr}}, {{"x", x}, {"y", bottom}, {"color", coloured("of", of, series)}});
  band["encoding"]["y2"] = {{"field", "high"}};
  band["encoding"].erase("tooltip");
  return {
      .name = "spectrum-shares",
      .title = text("title"),
      .caption = text("caption"),
      .specification =
          layers({std::move(band), mark({{"type", "line"}}, of_lines({{"x", x}, {"y", y}}, "of", of, series)),
                  rule("y", kShare), rule_label("y", kShare, text("bar"))}),
      .data = FigureData{{{"component", component}, {"share", share}, {"low", low}, {"high", high}, {"of", which}}}};
}

void add_parts(Numbers& numbers, const Table& table, size_t draws, const Conditions& conditions) {
  for (auto part : position_parts(table)) {
    if (lacking(part.rows, 2, 1)) continue;
    if (part.name == "all") part.name = "all_rows";  // not only ordinary ones
    const auto shares = measured_shares(part, draws, conditions);
    const FormatArgs of_part{{"percent", 100 * kShare},
                             {"part", LocalizedText{", " + part.words.en, "，" + part.words.zh}}};
    numbers.add(shares.number(kCount, part.name, above, of_part));
    numbers.add(shares.number(kRank, part.name, effective_rank, of_part));
  }
}

Findings run_spectrum(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table whole = seen_positions(subject);
  if (const auto gap = lacking(whole, 2 * kLeastPart, 1)) {
    findings.gaps["E3"] = *gap;
    return findings;
  }
  // Rows that stand out are left out: each is a component of its own, and row 0 is known with [CLS]'s token row alone.
  const PlacedRows ordinary = ordinary_rows(whole, 2 * kLeastPart, 1);
  const Table& table = ordinary.rows;
  const Shape shape{.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())};
  const size_t draws = size_of(conditions).draws;
  const auto shares = measured_shares({.name = "all", .words = {}, .rows = table}, draws, conditions);
  conditions.progress(0.2);
  const auto smooth = shares_of(conditions, "Gaussian process", draws,
                                [&](auto& stream) { return gaussian_process(shape, kLength, stream); });
  conditions.progress(0.4);

  if (conditions.quick) {
    findings.left_out.push_back(localize("spectrum.left_out", {{"few", kQuick.draws},
                                                               {"many", kFull.draws},
                                                               {"few_same_kernel", kQuick.same_kernel},
                                                               {"many_same_kernel", kFull.same_kernel}}));
  }
  Numbers& numbers = findings.numbers["E3"];
  const FormatArgs of_all{{"percent", 100 * kShare}, {"part", localize("spectrum.blocks_left_out", settings())}};
  const FormatArgs of_table{{"part", ""}};
  numbers.add(shares.number(kCount, above, of_all).interval(interval_of_number(table, conditions)));
  conditions.progress(0.7);
  numbers.add(shares.number(kRank, effective_rank, of_table));
  numbers.add(shares.number(kFirst, [](const Vector& one) { return one(0); }));
  numbers.add(shares.number(kLeading, leading, settings()));
  numbers.add(residual_share(ordinary, shares.control, conditions));
  numbers.add(shares.with_references(NumberBuilder(kSmoothCount, smooth.middle(above), settings()), above));
  numbers.add(shares.with_references(NumberBuilder(kSmoothLeading, smooth.middle(leading), settings()), leading));
  add_parts(numbers, whole, draws, conditions);
  const bool all = table.rows() == whole.rows();
  findings.remarks.push_back(
      localize("spectrum.left_out_rows", {{"rows", list_of(all ? std::vector<size_t>{} : outlying_rows(whole))}}));
  const LocalizedText of_smooth = median_of_draws(localize("spectrum.smooth", settings()), draws);
  findings.remarks.push_back(localize("spectrum.published", {{"smooth", of_smooth}}));
  findings.figures.push_back(scree(shares.own, {shares.nulls}, smooth, shares.control));
  conditions.progress(1);
  return findings;
}

FormatArgs measured(const Numbers& numbers) {
  const Number& count = numbers.at(kCount);
  return {{"percent", 100 * kShare},      {"rank_named", kPlantedRank},
          {"count", count.value},         {"fewest", count.interval->low},
          {"most", count.interval->high}, {"held", numbers.value(kLeading)},
          {"rank", numbers.value(kRank)}, {"smooth_count", numbers.value(kSmoothCount)},
          {"left", numbers.value(kLeft)}, {"left_by_kernel", numbers.null(kLeft)}};
}

struct RuleInputs {
  Interval count;
  double held = 0;
};

Observation evaluate(const RuleInputs& one) {
  constexpr auto kLeast = static_cast<double>(kFewest);
  constexpr auto kUtmost = static_cast<double>(kMost);
  if (one.count.low >= kLeast && one.count.high <= kUtmost && one.held >= kHeld) return Observation::holds;
  const bool others = one.count.high < kLeast || one.count.low > kUtmost || one.held < kLittle;
  return others ? Observation::fails : Observation::cannot_be_told;
}

Inference concluded(const Numbers& numbers) {
  const Number& left = numbers.at(kLeft);
  constexpr double kRounding = 1e-9;
  if (left.null->interval->high < kRounding) return Inference::not_tested;  // no wider than what the components span
  return left.value >= kAsMuch * left.null->interval->low ? Inference::does_not_follow : Inference::not_tested;
}

Verdict judge_spectrum(const Numbers& numbers) {
  const Number& count = numbers.at(kCount);
  const auto alone = [](double value) { return Interval{.low = value, .high = value}; };
  const Controlled<RuleInputs> inputs{{*count.interval, numbers.value(kLeading)},
                                      {alone(count.null->value), numbers.null(kLeading)},
                                      {alone(count.control->value), numbers.control(kLeading)}};
  Verdict verdict;
  verdict.observation = inputs.judged_by(evaluate);
  const bool in_range =
      count.interval->low >= static_cast<double>(kFewest) && count.interval->high <= static_cast<double>(kMost);
  verdict.number = deciding_number({{kCount, in_range}, {kLeading, numbers.value(kLeading) >= kHeld}});
  verdict.inference = concluded(numbers);
  verdict.reason = localize("spectrum.reason", measured(numbers));
  return verdict;
}

LocalizedText answer_spectrum(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E3")) return gap_answer(findings.gaps.at("E3"));
  const Number& left = findings.numbers.at("E3").at(kLeft);
  const bool smooth = verdicts.at("E3").inference == Inference::does_not_follow;
  const char* shown = smooth                                                 ? "spectrum.shown.smoothness"
                      : left.value <= kHalfAsMuch * left.null->interval->low ? "spectrum.shown.fewer"
                                                                             : "spectrum.shown.little";
  FormatArgs args = measured(findings.numbers.at("E3"));
  args.emplace_back("left_percent", 100 * left.value);
  args.emplace_back("left_by_kernel_percent", 100 * left.null->value);
  args.emplace_back("shown", localize(shown, args));
  return localize("spectrum.answer", args);
}

}  // namespace
}  // namespace spectrum

Experiment spectrum_experiment() {
  using namespace spectrum;
  Experiment experiment = described_experiment("spectrum", settings());
  experiment.effort = 6;
  experiment.rules = {described_rule("spectrum", "E3", judge_spectrum, settings())};
  experiment.run = run_spectrum;
  experiment.answer = answer_spectrum;
  return experiment;
}

}  // namespace summand::lab
