// E8, E9, E10: can the distance of two positions be read off their rows, and is that relative position?
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/charts.hpp"
#include "lab/experiments/distance/distance_grid.hpp"
#include "lab/experiments/distance/distance_networks.hpp"
#include "lab/experiments/distance/distance_regressions.hpp"
#include "lab/experiments/distance/pair_fits.hpp"
#include "lab/experiments/distance/published_metrics.hpp"
#include "lab/experiments/distance/short_sequences.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace distance {
namespace {

constexpr size_t kLeastDistanceRows = 64;
constexpr PairLimits kFullLimits{};
constexpr PairLimits kQuickLimits{.tree_pairs = 3000, .tree_bins = 64, .network_pairs = 2000};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"train", 100 * (1 - kTestShare)},   {"trees", kTrees},          {"leaf", kLeaf},
          {"components", kDistanceComponents}, {"raw_bins", kRawTreeBins}, {"short", kShortSequence}};
}

/// "20,000".
std::string grouped(size_t count) {
  std::string digits = std::to_string(count);
  for (size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

chart::Series series_of(const std::string& of) {
  if (of == "table") return series_of_table();
  if (of == "sinusoid") return series_of_sinusoid();
  const auto surrogate = std::ranges::find(kSurrogates, of, [](Surrogate one) { return name_of(one); });
  return series_of(*surrogate);
}

Figure grid_figure(const Grid& grid) {
  using namespace chart;
  const auto text = [](const char* name, const FormatArgs& args = {}) {
    return localize(std::string("distance.figures.distance-regressions.") + name, args);
  };
  std::vector<LocalizedText> of;
  std::vector<LocalizedText> method;
  std::vector<LocalizedText> split;
  std::vector<double> value;
  std::vector<Series> series{series_of_table(), series_of_sinusoid()};
  for (const auto surrogate : kSurrogates) series.push_back(lab::series_of(surrogate));
  std::set<std::string> shown;
  std::set<std::string> methods;
  for (const auto& [cell, scores] : grid) {
    if (cell.split != 0 || cell.of == "planted") continue;
    const Series one = series_of(cell.of);
    shown.insert(one.words.en);
    const bool raw = cell.inputs == Inputs::raw;
    const LocalizedText how = words_of(cell.method);
    of.push_back(one.words);
    method.push_back(raw ? text("raw", {{"method", how}}) : how);
    split.push_back(words_of(cell.held_out));
    value.push_back(std::max(-1.0, scores.r2));
    methods.insert(method.back().en);
  }
  std::erase_if(series, [&](const Series& one) { return !shown.contains(one.words.en); });
  Json beside = name("of", text("of"));
  beside["sort"] = Json::array();
  for (const auto& one : series) beside["sort"].push_back(words(one.words));
  std::vector<LocalizedText> splits;
  for (const auto held_out : kDistanceSplits) splits.push_back(words_of(held_out));
  const Json x = scaled(number("r2", text("r2"), ".3f"), {{"domain", {-1, 1}}});
  Json y = listed("method", text("method"));
  y["axis"]["grid"] = true;
  return {.name = "distance-regressions",
          .title = text("title"),
          .caption = text("caption"),
          .specification = facets(name("split", text("split")), splits,
                                  mark({{"type", "point"}, {"filled", true}, {"size", 50}},
                                       of_points({{"x", x}, {"y", std::move(y)}, {"yOffset", std::move(beside)}}, "of",
                                                 text("of"), series)),
                                  {.least = 300, .most = 3, .axis = 38, .height = height_of(methods.size())}),
          .data = FigureData{{{"of", of}, {"method", method}, {"split", split}, {"r2", value}}}};
}

Findings run_distance(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table whole = seen_positions(subject);
  const Table rows = whole.rows() > 1 ? Table(whole.bottomRows(whole.rows() - 1)) : Table();
  if (const auto gap = lacking(rows, kLeastDistanceRows, 2)) {
    findings.gaps = {{"E8", *gap}, {"E9", *gap}, {"E10", *gap}};
    return findings;
  }
  const PairLimits limits = conditions.quick ? kQuickLimits : kFullLimits;
  if (conditions.quick) {
    const Conditions quick{.quick = true};
    const Conditions full{};
    findings.left_out.push_back(
        localize("distance.left_out", {{"few_tree_pairs", grouped(kQuickLimits.tree_pairs)},
                                       {"few_bins", kQuickLimits.tree_bins},
                                       {"few_network_pairs", grouped(kQuickLimits.network_pairs)},
                                       {"many_tree_pairs", grouped(kFullLimits.tree_pairs)},
                                       {"many_bins", kFullLimits.tree_bins},
                                       {"many_network_pairs", grouped(kFullLimits.network_pairs)},
                                       {"few_splits", splits_of(quick).networks},
                                       {"many_splits", splits_of(full).networks},
                                       {"few_short", short_sequence_size(quick).splits},
                                       {"many_short", short_sequence_size(full).splits},
                                       {"few_draws", short_sequence_size(quick).draws},
                                       {"many_draws", short_sequence_size(full).draws},
                                       {"few_metrics", repetitions_of(quick).metrics},
                                       {"few_orders", repetitions_of(quick).order},
                                       {"many_metrics", repetitions_of(full).metrics},
                                       {"many_orders", repetitions_of(full).order},
                                       {"short", kShortSequence}}));
  }
  const DistanceTables tables(rows, conditions);
  conditions.progress(0.05);
  const Grid grid = fitted(tables, limits, conditions);
  conditions.progress(0.7);

  findings.numbers["E8"] = distance_network_numbers(grid, conditions);
  findings.numbers["E9"] = distance_regression_numbers(grid, tables, limits, conditions);
  conditions.progress(0.75);
  add_published_metrics(findings.numbers["E9"], whole, conditions);
  conditions.progress(0.85);
  if (auto short_numbers = short_sequence_numbers(rows, kDistanceComponents, limits, conditions)) {
    findings.numbers["E10"] = std::move(*short_numbers);
  } else {
    findings.gaps["E10"] = localize("distance.gap", {{"least", 2 * kShortSequence - 1}, {"short", kShortSequence}});
  }
  findings.remarks.push_back(
      localize("distance.remarks.pairs",
               {{"all", rows.rows() * rows.rows()}, {"trees", limits.tree_pairs}, {"networks", limits.network_pairs}}));
  findings.remarks.push_back(localize("distance.remarks.published"));
  findings.figures = {grid_figure(grid)};
  conditions.progress(1);
  return findings;
}

// Of the variance of distances, by trees: what the answer calls read, and hardly read.
constexpr double kWellRead = 0.9;
constexpr double kHardlyRead = 0.5;

LocalizedText answer_distance(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E9")) return gap_answer(findings.gaps.at("E9"));
  const Numbers& numbers = findings.numbers.at("E9");
  const bool converges = verdicts.at("E8").observation == Observation::fails;
  const std::string headline = fit_name(kTreesOnPairs, kR2);
  const double read = numbers.value(headline);
  const char* lead = read >= kWellRead    ? "distance.lead.yes"
                     : read < kHardlyRead ? "distance.lead.no"
                                          : "distance.lead.in_part";
  return localize(converges ? "distance.answer_converges" : "distance.answer",
                  {{"lead", localize(lead)},
                   {"trees", 100 * read},
                   {"random_walk", 100 * numbers.value(fit_name(kTreesOnRandomWalk, kR2))},
                   {"white_noise", 100 * numbers.null(headline)}});
}

}  // namespace
}  // namespace distance

Experiment distance_experiment() {
  using namespace distance;
  Experiment experiment = described_experiment("distance", settings());
  experiment.effort = 243;
  experiment.rules = {distance_network_rule(), distance_regression_rule(), short_sequence_rule()};
  experiment.run = run_distance;
  experiment.answer = answer_distance;
  return experiment;
}

}  // namespace summand::lab
