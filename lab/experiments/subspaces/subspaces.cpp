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
constexpr double kPlantedShare = 0.9;  // of a control
constexpr double kSparser = 0.02;      // of Hoyer's measure

/// What the texts say of the constants.
Fills settings() {
  return {{"components", kSharedComponents},
          {"much", kMuch},
          {"level", kOverlapLevel},
          {"planted", kPlantedShare},
          {"sparser", kSparser}};
}

Figure overlap_figure(const Table& directions, const Table& positions) {
  constexpr Index kGroups = 24;
  const auto text = [](const char* name) {
    return wording(std::string("subspaces.figures.subspaces-overlap.") + name);
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
    return wording(std::string("subspaces.figures.subspaces-coordinates.") + name, settings());
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

std::optional<Words> lacks_subspaces(const Subject& subject) {
  const auto least = static_cast<Index>(2 * kSharedComponents);
  if (subject.positions.rows() < least || subject.positions.cols() < 2 * least || subject.tokens.rows() < 2 * least) {
    return wording("subspaces.gaps.too_small",
                   {{"positions", least}, {"dimensions", 2 * least}, {"tokens", 2 * least}});
  }
  return {};
}

/// "1,000".
Words words_of(size_t count) {
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
    if (!found) lacking = wording("subspaces.gaps.few_directions", settings());
  }
  if (lacking) {
    for (const char* claim : {"0.2", "0.6", "0.10"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  const Bases& bases = *found;
  conditions.progress(0.3);
  const CorpusItems corpus = corpus_items(subject);
  if (conditions.quick) {
    findings.left_out.push_back(wording("subspaces.left_out", {{"few", kQuick.rotations},
                                                               {"many", words_of(kFull.rotations)},
                                                               {"few_items", kQuick.items},
                                                               {"many_items", kFull.items}}));
  }
  measure_segment(subject, bases, corpus, conditions, findings);
  conditions.progress(0.5);
  measure_overlap(parts, bases, conditions, findings);
  conditions.progress(0.9);
  measure_sparsity(subject, corpus, conditions, findings);
  findings.figures.push_back(overlap_figure(bases.directions, bases.positions));
  findings.figures.push_back(coordinates_figure(bases.positions));
  conditions.progress(1);
  return findings;
}

Verdict judge_segment(const Numbers& numbers) {
  const double share = numbers.value(kShareInside);
  Verdict verdict;
  if (numbers.control(kShareInside) < kPlantedShare) {
    verdict.observation = Observation::cannot_be_told;
  } else if (share >= kMuch && numbers.value(kP) < kOverlapLevel) {
    verdict.observation = Observation::holds;
  } else if (share <= numbers.at(kShareInside).null->interval->high) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason =
      wording("subspaces.reasons.segment",
              {{"share", share}, {"components", kSharedComponents}, {"chance", numbers.null(kShareInside)}});
  return verdict;
}

/// What the reason and the answer say of the overlap.
Fills measured_overlap(const Numbers& numbers) {
  const Interval chance = *numbers.at(kOverlap).null->interval;
  return {{"components", kSharedComponents},
          {"overlap", numbers.value(kOverlap)},
          {"chance", numbers.null(kOverlap)},
          {"low", chance.low},
          {"high", chance.high},
          {"half", numbers.value(kCoordinatesOfHalf)},
          {"chance_half", numbers.null(kCoordinatesOfHalf)}};
}

Verdict judge_overlap(const Numbers& numbers) {
  const double overlap = numbers.value(kOverlap);
  const Interval chance = *numbers.at(kOverlap).null->interval;
  Verdict verdict;
  if (numbers.control(kOverlap) >= chance.low) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = overlap < chance.low    ? Observation::holds
                          : overlap > chance.high ? Observation::fails
                                                  : Observation::cannot_be_told;
  }
  verdict.inference = verdict.observation == Observation::holds ? Inference::not_tested : Inference::does_not_follow;
  verdict.reason = wording("subspaces.reasons.overlap", measured_overlap(numbers));
  return verdict;
}

Verdict judge_sparsity(const Numbers& numbers) {
  const double beyond = numbers.value(kLost) - numbers.null(kLost);
  Verdict verdict;
  if (numbers.control(kLost) - numbers.null(kLost) < kSparser) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = beyond >= kSparser ? Observation::holds : Observation::fails;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = wording("subspaces.reasons.sparsity", {{"beside", numbers.value(kSparsityConcatenation)},
                                                          {"summed", numbers.value(kSparsitySum)},
                                                          {"dense_beside", numbers.null(kSparsityConcatenation)},
                                                          {"dense_summed", numbers.null(kSparsitySum)}});
  return verdict;
}

Words answer_subspaces(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.6")) return findings.gaps.at("0.6");
  const Numbers& numbers = findings.numbers.at("0.6");
  const auto seen = verdicts.at("0.6").observation;
  const char* relation = seen == Observation::holds   ? "subspaces.relations.less"
                         : seen == Observation::fails ? "subspaces.relations.more"
                                                      : "subspaces.relations.same";
  const bool sparser = numbers.value(kCoordinateSparsity) > numbers.at(kCoordinateSparsity).null->interval->high;
  Fills fills = measured_overlap(numbers);
  fills.emplace_back("relation", wording(relation));
  fills.emplace_back("concatenation",
                     sparser ? wording("subspaces.concatenation.sparser", {{"half", kSharedComponents / 2}})
                             : wording("subspaces.concatenation.none"));
  return wording("subspaces.answer", fills);
}

}  // namespace
}  // namespace subspaces

Experiment subspaces_experiment() {
  using namespace subspaces;
  Experiment experiment = described_experiment("subspaces", settings());
  experiment.rules = {described_rule("subspaces", "0.2", judge_segment, settings()),
                      described_rule("subspaces", "0.6", judge_overlap, settings()),
                      described_rule("subspaces", "0.10", judge_sparsity, settings())};
  experiment.run = run_subspaces;
  experiment.answer = answer_subspaces;
  return experiment;
}

}  // namespace summand::lab
