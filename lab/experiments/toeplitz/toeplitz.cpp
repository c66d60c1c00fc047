// 4.5: with a diagonal H, is the interaction a function of m − n plus one of m + n, and does a learned table have that?
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/found.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/wording.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/toeplitz/toeplitz_measured.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace toeplitz {
namespace {

using Eigen::Index;

constexpr size_t kLeastRows = 32;
constexpr Index kLeastColumns = 4;
constexpr double kNothing = 1e-6;  // what rounding leaves of a share
constexpr double kSomething = 0.01;
constexpr double kMostOf = 0.5;  // in the texts: half
constexpr double kOver = 0.1;
constexpr size_t kDraws = 7;
constexpr size_t kQuickDraws = 3;

constexpr NumberName kDiagonalToeplitz{"toeplitz", "diagonal_toeplitz"};
constexpr NumberName kDiagonalHankel{"toeplitz", "diagonal_hankel"};
constexpr NumberName kDiagonalRest{"toeplitz", "diagonal_rest"};
constexpr NumberName kOwnToeplitz{"toeplitz", "own_toeplitz"};
constexpr NumberName kOwnHankel{"toeplitz", "own_hankel"};
constexpr NumberName kOwnShared{"toeplitz", "own_shared"};
constexpr NumberName kOwnRest{"toeplitz", "own_rest"};

std::string name_of_toeplitz(Surrogate surrogate) {
  return name_of(surrogate) + "_toeplitz";
}

/// What the texts say of the constants.
Fills settings() {
  return {{"nothing", -std::log10(kNothing)}, {"something", kSomething}, {"over", kOver}};
}

Table symmetric(const Table& table) {
  return (table + table.transpose()) / 2;
}

ToeplitzHankel of_table(const Table& table) {
  const Table around = centred(table);
  return toeplitz_hankel(symmetric(around * around.transpose()));
}

/// The three kinds of H that the document tells apart, on the sinusoid.
struct ClosedForm {
  ToeplitzHankel diagonal;
  ToeplitzHankel equal_pairs;
  ToeplitzHankel full;
};

ClosedForm closed_form(const Table& sine, RandomStream& stream) {
  const Index columns = sine.cols();
  Vector diagonal(columns);
  for (double& entry : diagonal) entry = stream.normal();
  Vector pairs = diagonal;
  for (Index i = 0; i + 1 < columns; i += 2) pairs(i + 1) = pairs(i);
  const auto width = static_cast<size_t>(columns);
  const Table full = symmetric(white_noise({width, width}, stream));
  const auto shares = [&](const Table& weighted) { return toeplitz_hankel(symmetric(weighted * sine.transpose())); };
  return {shares(sine * diagonal.asDiagonal()), shares(sine * pairs.asDiagonal()), shares(sine * full)};
}

ToeplitzHankel middle_of(const std::vector<ToeplitzHankel>& all) {
  const auto middle = [&](double ToeplitzHankel::*of) {
    std::vector<double> values;
    for (const auto& one : all) values.push_back(one.*of);
    return median(values);
  };
  return {middle(&ToeplitzHankel::toeplitz), middle(&ToeplitzHankel::hankel), middle(&ToeplitzHankel::shared),
          middle(&ToeplitzHankel::rest)};
}

Figure shares_figure(const std::vector<std::pair<Words, ToeplitzHankel>>& tables) {
  using namespace chart;
  const auto text = [](const char* name) { return wording(std::string("toeplitz.figures.toeplitz-shares.") + name); };
  const std::vector<Series> parts{{text("toeplitz"), {.colour = "@blue"}},
                                  {text("hankel"), {.colour = "@orange"}},
                                  {text("shared"), {.colour = "@green"}},
                                  {text("rest"), {.colour = "@faint"}}};
  std::vector<Words> of;
  std::vector<Words> part;
  std::vector<double> share;
  for (const auto& [name, shares] : tables) {
    for (size_t i = 0; const double value : {shares.toeplitz, shares.hankel, shares.shared, shares.rest}) {
      of.push_back(name);
      part.push_back(parts[i++].words);
      share.push_back(value);
    }
  }
  return {.name = "toeplitz-shares",
          .title = text("title"),
          .caption = text("caption"),
          .specification = with_height(
              mark({{"type", "bar"}}, {{"y", listed("of", text("of"))},
                                       {"x", scaled(number("share", text("share"), ".3f"), {{"nice", false}})},
                                       {"color", coloured("part", text("part"), parts)}}),
              height_of(tables.size())),
          .data = FigureData{{{"of", of}, {"part", part}, {"share", share}}}};
}

Figure products_figure(const Table& table) {
  const auto text = [](const char* name) { return wording(std::string("toeplitz.figures.toeplitz-products.") + name); };
  const Table around = centred(table);
  const Vector norms = around.rowwise().norm().cwiseMax(1e-30);
  const Table cosines =
      norms.cwiseInverse().asDiagonal() * (around * around.transpose()) * norms.cwiseInverse().asDiagonal();
  MatrixData matrix{.rows = static_cast<size_t>(table.rows()),
                    .columns = static_cast<size_t>(table.rows()),
                    .values = {},
                    .row_label = text("row"),
                    .column_label = text("column"),
                    .value_label = text("value"),
                    .low = -1,
                    .high = 1,
                    .scale = MatrixData::Scale::diverging};
  for (const double value : elements(cosines)) matrix.values.push_back(static_cast<float>(value));
  return {.name = "toeplitz-products",
          .title = text("title"),
          .caption = text("caption"),
          .specification = {},
          .data = std::move(matrix)};
}

Findings run_toeplitz(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const auto left_out = outlying_rows(subject.positions);
  const Table table = without_rows(subject.positions, left_out);
  const auto gap = lacking(table, kLeastRows, 2);
  if (gap || table.cols() < kLeastColumns) {
    findings.gaps["4.5"] = gap.value_or(wording("toeplitz.gap", {{"columns", kLeastColumns}}));
    return findings;
  }
  const size_t draws = conditions.quick ? kQuickDraws : kDraws;
  if (conditions.quick) {
    findings.left_out.push_back(wording("toeplitz.left_out.draws", {{"few", kQuickDraws}, {"many", kDraws}}));
  }
  RandomStream stream(conditions.seed, "toeplitz: H");
  const ClosedForm closed = closed_form(sinusoid_like(table), stream);
  conditions.progress(0.2);
  const ToeplitzHankel own = of_table(table);
  std::vector<std::pair<Surrogate, ToeplitzHankel>> beside;
  for (const auto surrogate : kSurrogates) {
    beside.emplace_back(surrogate, middle_of(drawn_from(surrogate, table, "toeplitz", draws, conditions, of_table)));
    conditions.progress(0.2 + 0.2 * static_cast<double>(beside.size()));
  }
  const ToeplitzHankel sine = of_table(sinusoid_like(table));

  Numbers& numbers = findings.numbers["4.5"];
  const Words of_full = wording("toeplitz.beside.full");
  const Words of_pairs = wording("toeplitz.beside.pairs");
  const auto add = [&](const NumberName& name, double ToeplitzHankel::*of) {
    numbers.add(
        Measured(name, closed.diagonal.*of).null(closed.full.*of, of_full).control(closed.equal_pairs.*of, of_pairs));
  };
  add(kDiagonalToeplitz, &ToeplitzHankel::toeplitz);
  add(kDiagonalHankel, &ToeplitzHankel::hankel);
  add(kDiagonalRest, &ToeplitzHankel::rest);
  const ToeplitzHankel& walk = beside[static_cast<size_t>(Surrogate::random_walk)].second;
  const Words of_walk = words_of_median(Surrogate::random_walk, draws);
  const auto add_own = [&](const NumberName& name, double ToeplitzHankel::*of) {
    numbers.add(Measured(name, own.*of).null(walk.*of, of_walk).control(sine.*of, words_of_sinusoid()));
  };
  add_own(kOwnToeplitz, &ToeplitzHankel::toeplitz);
  add_own(kOwnHankel, &ToeplitzHankel::hankel);
  add_own(kOwnShared, &ToeplitzHankel::shared);
  add_own(kOwnRest, &ToeplitzHankel::rest);
  for (const auto& [surrogate, shares] : beside) {
    if (surrogate == Surrogate::random_walk) continue;
    const Words label =
        wording("toeplitz.numbers.surrogate_toeplitz", {{"surrogate", words_of_median(surrogate, draws)}});
    numbers.add(Measured(name_of_toeplitz(surrogate), label, shares.toeplitz)
                    .null(walk.toeplitz, of_walk)
                    .control(sine.toeplitz, words_of_sinusoid()));
  }
  findings.remarks.push_back(wording("toeplitz.remarks.rows", {{"rows", list_of(left_out)}}));
  const auto measured = measured_shares(subject, table, conditions);
  if (measured) add_measured(*measured, closed.equal_pairs, subject, conditions, findings);
  const auto text = [](const char* name) { return wording(std::string("toeplitz.figures.toeplitz-shares.") + name); };
  std::vector<std::pair<Words, ToeplitzHankel>> tables{{text("sinusoid_diagonal"), closed.diagonal},
                                                       {wording("toeplitz.beside.sinusoid_pairs"), closed.equal_pairs},
                                                       {text("sinusoid_full"), closed.full},
                                                       {series_of_table().words, own},
                                                       {words_of_sinusoid(), sine}};
  for (const auto& [surrogate, shares] : beside) tables.emplace_back(words_of(surrogate), shares);
  if (measured) {
    tables.emplace_back(text("own_measured"), measured->own);
    tables.emplace_back(text("walk_measured"), measured->walk);
  }
  findings.figures = {shares_figure(tables), products_figure(subject.positions)};
  conditions.progress(1);
  return findings;
}

Verdict judge_toeplitz(const Numbers& numbers) {
  const double rest = std::abs(numbers.value(kDiagonalRest));
  const double hankel = numbers.value(kDiagonalHankel);
  const double without = std::abs(numbers.control(kDiagonalHankel));
  Verdict verdict;
  if (numbers.null(kDiagonalRest) <= kSomething) {
    verdict.observation = Observation::cannot_be_told;
  } else if (rest <= kNothing && hankel >= kSomething && without <= kNothing) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = Observation::fails;
  }
  const double own = numbers.value(kOwnToeplitz);
  const double walk = numbers.null(kOwnToeplitz);
  const double warped = numbers.value(name_of_toeplitz(Surrogate::warped));
  const Number* measured = found(numbers, kMeasuredToeplitz);
  const bool with_identity = own >= kMostOf && own - std::max(walk, warped) >= kOver;
  const bool with_own =
      measured == nullptr || (measured->value >= kMostOf && measured->value - measured->null->value >= kOver);
  verdict.inference = with_identity && with_own ? Inference::follows : Inference::does_not_follow;
  Words with_measured;
  if (measured != nullptr) {
    with_measured = wording("toeplitz.reason.measured", {{"own", measured->value}, {"walk", measured->null->value}});
  }
  verdict.reason = wording("toeplitz.reason.shares", {{"toeplitz", numbers.value(kDiagonalToeplitz)},
                                                      {"hankel", hankel},
                                                      {"rest", rest},
                                                      {"own", own},
                                                      {"walk", walk},
                                                      {"warped", warped},
                                                      {"measured", with_measured}});
  return verdict;
}

Words answer_toeplitz(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("4.5")) return findings.gaps.at("4.5");
  const Numbers& numbers = findings.numbers.at("4.5");
  const Number* measured = found(numbers, kMeasuredToeplitz);
  const Words then = measured == nullptr ? wording("toeplitz.answer.table_alone")
                                         : wording("toeplitz.answer.measured", {{"own", 100 * measured->value},
                                                                                {"walk", 100 * measured->null->value}});
  return wording("toeplitz.answer.shares", {{"own", 100 * numbers.value(kOwnToeplitz)},
                                            {"own_rest", 100 * numbers.value(kOwnRest)},
                                            {"walk", 100 * numbers.null(kOwnToeplitz)},
                                            {"walk_rest", 100 * numbers.null(kOwnRest)},
                                            {"then", then}});
}

}  // namespace
}  // namespace toeplitz

Experiment toeplitz_experiment() {
  using namespace toeplitz;
  Experiment experiment = described_experiment("toeplitz", settings());
  experiment.rules = {described_rule("toeplitz", "4.5", judge_toeplitz, settings())};
  experiment.run = run_toeplitz;
  experiment.answer = answer_toeplitz;
  return experiment;
}

}  // namespace summand::lab
