// E5: which components change when row 0 is left out, and why?
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

namespace first_row {
namespace {

constexpr size_t kCompared = 18;  // as document 002 draws them
constexpr double kSame = 0.9;     // |cosine|
constexpr double kOwns = 0.5;     // leverage from which row 0 is the component
constexpr double kNear = 0.01;    // an eigengap of so much of the share lets neighbours rotate
constexpr size_t kLeastSame = 5;  // the rule says it in words

constexpr NumberName kChanged{"first_row", "components_changed"};
constexpr NumberName kSameBefore{"first_row", "same_before_the_first"};
constexpr NumberName kLeverage{"first_row", "leverage_of_row_0"};
constexpr NumberName kGap{"first_row", "smallest_gap"};
constexpr NumberName kExplained{"first_row", "explained"};

/// What the texts say of the constants.
Fills settings() {
  return {{"compared", kCompared}, {"same", kSame}, {"owns", kOwns}};
}

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
  const auto text = [](const char* name) {
    return wording(std::string("first_row.figures.first-row-components.") + name);
  };
  const std::vector<Series> series{{text("cosine"), {.colour = "@blue", .width = 3}},
                                   {text("leverage"), {.colour = "@orange", .dash = {6, 3}}},
                                   {text("eigengap"), {.colour = "@green", .dash = {2, 2}}}};
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
  return {.name = "first-row-components",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers({mark({{"type", "line"}, {"point", true}},
                                        of_lines({{"x", whole("component", text("component"))},
                                                  {"y", scaled(number("value", text("value")), {{"domain", {0, 1}}})}},
                                                 "what", text("what"), series)),
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
  const Words of_null = wording("first_row.continued");
  const Words of_control = wording("first_row.planted");
  Numbers& numbers = findings.numbers["E5"];
  const auto add = [&](const NumberName& name, const auto& of) {
    numbers.add(Measured(name, of(own), settings()).null(of(null), of_null).control(of(control), of_control));
  };
  add(kChanged, [](const Comparison& one) { return static_cast<double>(one.changed); });
  add(kSameBefore, [](const Comparison& one) { return static_cast<double>(one.same_before); });
  add(kLeverage, [](const Comparison& one) { return one.largest_leverage; });
  add(kGap, [](const Comparison& one) { return std::ranges::min(one.gaps); });
  add(kExplained, [](const Comparison& one) { return static_cast<double>(one.explained); });
  findings.figures.push_back(matches_figure(own));
  conditions.progress(1);
  return findings;
}

Verdict judge_first_row(const Numbers& numbers) {
  const auto changed = static_cast<size_t>(numbers.value(kChanged));
  const auto before = static_cast<size_t>(numbers.value(kSameBefore));
  Verdict verdict;
  const double without_outlier = numbers.null(kChanged);
  if (numbers.control(kChanged) <= without_outlier) {
    verdict.observation = Observation::cannot_be_told;
  } else if (static_cast<double>(changed) > without_outlier && before >= kLeastSame) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = Observation::fails;
  }
  if (changed > 0) {
    // The document wonders whether the matrix' rank is the reason; leverage and near-equal eigenvalues are others.
    verdict.inference =
        numbers.value(kExplained) >= static_cast<double>(changed) ? Inference::does_not_follow : Inference::not_tested;
  }
  verdict.reason = wording("first_row.reason", {{"compared", kCompared},
                                                {"changed", changed},
                                                {"continued", without_outlier},
                                                {"before", before},
                                                {"leverage", numbers.value(kLeverage)},
                                                {"gap", numbers.value(kGap)}});
  return verdict;
}

Words answer_first_row(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E5")) return findings.gaps.at("E5");
  const bool not_rank = verdicts.at("E5").inference == Inference::does_not_follow;
  return wording(not_rank ? "first_row.answer_not_rank" : "first_row.answer",
                 {{"compared", kCompared}, {"changed", findings.numbers.at("E5").value(kChanged)}});
}

}  // namespace
}  // namespace first_row

Experiment first_row_experiment() {
  using namespace first_row;
  Experiment experiment = described_experiment("first_row", settings());
  experiment.rules = {described_rule("first_row", "E5", judge_first_row, settings())};
  experiment.run = run_first_row;
  experiment.answer = answer_first_row;
  return experiment;
}

}  // namespace summand::lab
