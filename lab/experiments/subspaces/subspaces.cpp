// 0.2, 0.6 and 0.10: do the three tables share directions, and is the sum a concatenation in disguise?
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/charts.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/subspaces/addend_sparsity.hpp"
#include "lab/experiments/subspaces/shared_directions.hpp"
#include "lab/experiments/subspaces/subspaces_numbers.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace subspaces {
namespace {

using Eigen::Index;

constexpr double kMuch = 0.3;  // of s₁ − s₀
constexpr double kOverlapLevel = 0.01;
/// Of Hoyer's measure. Calibrated on planted tables 64 and 384 wide: dense rows lose 0.01 at most, of one length side
/// by side or of any by themselves; with tokens of which a tenth or a half is kept, or each table on coordinates of its
/// own, 0.07 and more is lost; with all three on the same coordinates nothing.
constexpr double kSparser = 0.02;

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"components", kSharedComponents}, {"much", kMuch}, {"level", kOverlapLevel}, {"sparser", kSparser}};
}

Figure overlap_figure(const Table& directions, const Table& positions) {
  constexpr Index kGroups = 24;
  const auto text = [](const char* name) {
    return localize(std::string("subspaces.figures.subspaces-overlap.") + name);
  };
  MatrixData matrix{.rows = kSharedComponents,
                    .columns = 0,
                    .values = {},
                    .row_label = text("row"),
                    .column_label = text("column"),
                    .value_label = text("value"),
                    .low = 0,
                    .high = 3,
                    .scale = MatrixData::Scale::sequential};
  const Index groups = std::min(kGroups, directions.rows());
  matrix.columns = static_cast<size_t>(groups);
  const Table squares = (positions * directions.transpose()).cwiseAbs2();
  for (Index p = 0; p < squares.rows(); ++p) {
    for (Index g = 0; g < groups; ++g) {
      const Index first = g * squares.cols() / groups;
      const Index end = (g + 1) * squares.cols() / groups;
      const double chance = static_cast<double>(end - first) / static_cast<double>(positions.cols());
      matrix.values.push_back(static_cast<float>(squares.row(p).segment(first, end - first).sum() / chance));
    }
  }
  return {.name = "subspaces-overlap",
          .title = text("title"),
          .caption = text("caption"),
          .specification = {},
          .data = std::move(matrix)};
}

Figure coordinates_figure(const Table& positions) {
  using namespace chart;
  const auto text = [](const char* name) {
    return localize(std::string("subspaces.figures.subspaces-coordinates.") + name, settings());
  };
  const Vector energy = positions.cwiseAbs2().colwise().sum().transpose();
  std::vector<double> coordinate(static_cast<size_t>(energy.size()));
  std::iota(coordinate.begin(), coordinate.end(), 0.0);
  const double even = static_cast<double>(kSharedComponents) / static_cast<double>(energy.size());
  return {
      .name = "subspaces-coordinates",
      .title = text("title"),
      .caption = text("caption"),
      .specification = layers({mark({{"type", "bar"}, {"size", 1.5}}, {{"x", whole("coordinate", text("coordinate"))},
                                                                       {"y", number("energy", text("energy"))}}),
                               rule("y", even)}),
      .data = FigureData{{{"coordinate", coordinate}, {"energy", std::vector<double>(energy.begin(), energy.end())}}}};
}

std::optional<LocalizedText> lacks_subspaces(const Subject& subject) {
  const auto least = static_cast<Index>(2 * kSharedComponents);
  if (subject.positions.rows() < least || subject.positions.cols() < 2 * least || subject.tokens.rows() < 2 * least) {
    return localize("subspaces.gaps.too_small",
                    {{"positions", least}, {"dimensions", 2 * least}, {"tokens", 2 * least}});
  }
  return {};
}

/// "1,000".
LocalizedText words_of(size_t count) {
  return {fmt::format("{}", fmt::group_digits(count)), std::to_string(count)};
}

Findings run_subspaces(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  if (!lacking) lacking = lacks_subspaces(subject);
  InputParts parts;
  std::optional<Bases> found;
  if (!lacking) {
    parts = input_parts(subject);
    found = bases_of(parts);
    if (!found) lacking = localize("subspaces.gaps.few_directions", settings());
  }
  if (lacking) {
    for (const char* claim : {"0.2", "0.6", "0.10"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  const Bases& bases = *found;
  conditions.progress(0.3);
  const CorpusItems corpus = corpus_items(subject);
  if (conditions.quick) {
    findings.left_out.push_back(localize("subspaces.left_out", {{"few", kQuick.rotations},
                                                                {"many", words_of(kFull.rotations)},
                                                                {"few_tokens", words_of(kQuick.tokens)},
                                                                {"many_tokens", words_of(kFull.tokens)},
                                                                {"few_resamplings", kQuick.resamplings},
                                                                {"many_resamplings", words_of(kFull.resamplings)}}));
  }
  measure_segment(subject, bases, corpus, conditions, findings);
  conditions.progress(0.5);
  measure_overlap(parts, bases, conditions, findings);
  conditions.progress(0.9);
  measure_sparsity(subject, parts, conditions, findings);
  findings.figures.push_back(overlap_figure(bases.directions, bases.positions));
  findings.figures.push_back(coordinates_figure(bases.positions));
  conditions.progress(1);
  return findings;
}

struct SegmentShares {
  double all = 0;
  double without_row_0 = 0;
  double p = 1;
  double chance = 0;       ///< no more than so much inside has chance
  double token_pairs = 0;  ///< or differences of tokens
};

Observation related(const SegmentShares& shares) {
  const auto [least, most] = std::minmax(shares.all, shares.without_row_0);
  if (least >= kMuch && shares.p < kOverlapLevel && shares.all > shares.token_pairs) return Observation::holds;
  return most <= shares.chance ? Observation::fails : Observation::cannot_be_told;
}

/// Of the shares with and without row 0 the one that has it harder to pass, or the first condition beside them unmet.
std::string deciding_share(const SegmentShares& shares, Observation observation) {
  const bool row_0_is_less = shares.all <= shares.without_row_0;
  const auto& least = row_0_is_less ? kShareInside : kShareWithoutRow0;
  const auto& most = row_0_is_less ? kShareWithoutRow0 : kShareInside;
  if (observation == Observation::fails) return most.name;
  return deciding_number({{least, std::min(shares.all, shares.without_row_0) >= kMuch},
                          {kP, shares.p < kOverlapLevel},
                          {kShareBesideTokens, shares.all > shares.token_pairs}});
}

Verdict judge_segment(const Numbers& numbers) {
  const Number& share = numbers.at(kShareInside);
  const double chance = share.null->interval->high;
  const double pairs = numbers.at(kShareBesideTokens).null->interval->high;
  const auto shares = controlled(numbers, [&](const NumberReader& of) {
    return SegmentShares{.all = of.value(kShareInside),
                         .without_row_0 = of.value(kShareWithoutRow0),
                         .p = of.value(kP),
                         .chance = chance,
                         .token_pairs = pairs};
  });
  Verdict verdict;
  verdict.observation = shares.judged_by(related);
  verdict.number = deciding_share(shares.own, verdict.observation);
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = localize("subspaces.reasons.segment", {{"share", share.value},
                                                          {"without", numbers.value(kShareWithoutRow0)},
                                                          {"components", kSharedComponents},
                                                          {"chance", share.null->value},
                                                          {"chance_high", chance},
                                                          {"pairs_high", pairs}});
  return verdict;
}

/// What the reason and the answer say of the overlap.
FormatArgs measured_overlap(const Numbers& numbers) {
  const Interval chance = *numbers.at(kOverlap).null->interval;
  return {{"components", kSharedComponents},
          {"overlap", numbers.value(kOverlap)},
          {"without", numbers.value(kOverlapWithoutRow0)},
          {"chance", numbers.null(kOverlap)},
          {"low", chance.low},
          {"high", chance.high},
          {"half", numbers.value(kCoordinatesOfHalf)},
          {"chance_half", numbers.null(kCoordinatesOfHalf)}};
}

Verdict judge_overlap(const Numbers& numbers) {
  const Interval chance = *numbers.at(kOverlap).null->interval;
  const auto overlaps = controlled(numbers, [](const NumberReader& of) {
    return std::minmax({of.value(kOverlap), of.value(kOverlapWithoutRow0)});
  });
  // Whether the positions keep away from the tokens' directions, with and without row 0.
  const auto apart = [&](const std::pair<double, double>& overlap) {
    if (overlap.second < chance.low) return Observation::holds;
    return overlap.first > chance.high ? Observation::fails : Observation::cannot_be_told;
  };
  const bool told = overlaps.controls_pass(apart);
  Verdict verdict;
  verdict.observation = observation_if(told, apart(overlaps.own));
  const bool more_with_row_0 = numbers.value(kOverlap) >= numbers.value(kOverlapWithoutRow0);
  const bool asks_for_more = verdict.observation == Observation::fails;
  verdict.number = (more_with_row_0 != asks_for_more ? kOverlap : kOverlapWithoutRow0).name;
  verdict.inference =
      !told || verdict.observation == Observation::holds ? Inference::not_tested : Inference::does_not_follow;
  verdict.reason = localize("subspaces.reasons.overlap", measured_overlap(numbers));
  return verdict;
}

/// Whether this much is lost, by the whole interval.
Observation lowers(const Interval& lost) {
  if (lost.low >= kSparser) return Observation::holds;
  return lost.high < kSparser ? Observation::fails : Observation::cannot_be_told;
}

Verdict judge_sparsity(const Numbers& numbers) {
  const Number& lost = numbers.at(kLost);
  const Number& of_rows = numbers.at(kLostOfRows);
  const auto judged = [&](const NumberName& name) { return controlled_interval(numbers, name).judged_by(lowers); };
  const Observation rows = judged(kLostOfRows);
  Verdict verdict;
  verdict.observation = judged(kLost);
  // [CLS] stands at row 0 alone: what its rows are is known of their sum.
  if (judged(kLostOrdinary) != verdict.observation) verdict.observation = Observation::cannot_be_told;
  if (verdict.observation == Observation::fails ||
      (rows == Observation::fails && verdict.observation == Observation::holds)) {
    verdict.inference = Inference::does_not_follow;
  } else if (verdict.observation == Observation::holds && rows == Observation::holds) {
    verdict.inference = Inference::follows;
  }
  verdict.reason = localize("subspaces.reasons.sparsity", {{"lost", lost.value},
                                                           {"lost_low", lost.interval->low},
                                                           {"lost_high", lost.interval->high},
                                                           {"beside", numbers.value(kSparsityConcatenation)},
                                                           {"summed", numbers.value(kSparsitySum)},
                                                           {"ordinary", numbers.value(kLostOrdinary)},
                                                           {"raw", numbers.value(kLostRaw)},
                                                           {"rows", of_rows.value},
                                                           {"rows_low", of_rows.interval->low},
                                                           {"rows_high", of_rows.interval->high}});
  return verdict;
}

LocalizedText answer_subspaces(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.6")) return gap_answer(findings.gaps.at("0.6"));
  const Numbers& numbers = findings.numbers.at("0.6");
  const auto seen = verdicts.at("0.6").observation;
  const char* relation = seen == Observation::holds   ? "subspaces.relations.less"
                         : seen == Observation::fails ? "subspaces.relations.more"
                                                      : "subspaces.relations.same";
  const bool sparser = numbers.value(kCoordinateSparsity) > numbers.at(kCoordinateSparsity).null->interval->high;
  FormatArgs args = measured_overlap(numbers);
  args.emplace_back("relation", localize(relation));
  args.emplace_back("overlap_percent", 100 * numbers.value(kOverlap));
  args.emplace_back("chance_percent", 100 * numbers.null(kOverlap));
  args.emplace_back("concatenation",
                    sparser ? localize("subspaces.concatenation.sparser", {{"half", kSharedComponents / 2}})
                            : localize("subspaces.concatenation.none"));
  return localize("subspaces.answer", args);
}

}  // namespace
}  // namespace subspaces

Experiment subspaces_experiment() {
  using namespace subspaces;
  Experiment experiment = described_experiment("subspaces", settings());
  experiment.effort = 6;
  experiment.rules = {described_rule("subspaces", "0.2", judge_segment, settings(), {.kind = Kind::data}),
                      described_rule("subspaces", "0.6", judge_overlap, settings(), {.kind = Kind::data}),
                      described_rule("subspaces", "0.10", judge_sparsity, settings(), {.kind = Kind::data})};
  experiment.run = run_subspaces;
  experiment.answer = answer_subspaces;
  return experiment;
}

}  // namespace summand::lab
