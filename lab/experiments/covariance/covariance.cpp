// 4.6: are the diagonals of the embeddings' covariances larger than the rest, and would that say anything of H?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/covariance/hessian_diagonal.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/ordinary_rows.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace covariance {
namespace {

// From planted tables of 512 x 384: columns that all follow one common course have 1.5 to 1.63, two courses 1.96
// to 2.04; independent random walks, of all independent columns those with the largest covariances, 2.2 to 2.5.
constexpr double kClearly = 2.1;
constexpr double kNotLarger = 1.65;
// Of what random rotations have. From planted tables: white noise and low-rank tables 0.9 to 1.1; independent columns
// whose deviations spread by a factor e^0.3 have 1.3, by e 15, columns alike in blocks of 16 1.6.
constexpr double kOfItsCoordinates = 1.25;
constexpr double kMostOfEnergy = 0.5;
constexpr size_t kRotations = 10;
constexpr Eigen::Index kQuickRows = 4000;
constexpr size_t kLeastCovarianceRows = 8;
constexpr size_t kLeastDirections = 2;
constexpr Eigen::Index kLeastColumns = 3;

// Of every table, whose name stands in front.
constexpr NumberName kRatio{"covariance", "ratio"};
constexpr NumberName kOffNorm{"covariance", "off_norm"};
constexpr NumberName kRotated{"covariance", "ratio_rotated"};
constexpr NumberName kSameKernel{"covariance", "ratio_same_kernel"};
constexpr NumberName kAllRows{"covariance", "ratio_all_rows"};

std::string of_table(const std::string& table, const NumberName& number) {
  return fmt::format("{}_{}", table, number.name);
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"clearly", kClearly},
          {"not_larger", kNotLarger},
          {"coordinates", kOfItsCoordinates},
          {"rotations", kRotations},
          {"most", kMostOfEnergy}};
}

Table covariance_of(const Table& table) {
  const Table around = centred(table);
  return around.transpose() * around / static_cast<double>(table.rows());
}

DiagonalDominance dominance_of(const Table& table) {
  return diagonal_dominance(covariance_of(table));
}

/// The ratio in random coordinates, which no model of the sum could tell from these.
std::vector<double> turned_ratios(const Table& table, const std::string& name, const Conditions& conditions) {
  const Table covariance = covariance_of(table);
  const auto width = static_cast<size_t>(table.cols());
  std::vector<double> ratios(kRotations);
  run_tasks(conditions, kRotations, [&](size_t i) {
    RandomStream stream(conditions.seed, fmt::format("covariance: rotation {} {}", name, i));
    const Table turn = random_frame(width, width, stream);
    const Table turned = turn * covariance;
    ratios[i] = diagonal_dominance(turned * turn.transpose()).ratio;
  });
  return ratios;
}

/// What independent columns have whose rows have the same inner products by distance.
double same_kernel_ratio(const PlacedRows& positions, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "covariance: same kernel");
  return dominance_of(SameKernelTables(positions).draw(SameKernel::gaussian, stream).rows).ratio;
}

/// Every so many-th row: the first of a vocabulary are unlike the rest.
Table rows_throughout(const Table& table, Eigen::Index count) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < count; ++i) rows.push_back(i * table.rows() / count);
  return table(rows, Eigen::all);
}

/// All columns follow one common course, with a tenth of their own.
Table one_factor(Shape shape, RandomStream& stream) {
  const Table factor = white_noise({shape.rows, 1}, stream);
  Table table = 0.1 * white_noise(shape, stream);
  table.colwise() += factor.col(0);
  return table;
}

/// A table of the checkpoint, or rows of it.
struct Looked {
  std::string name;
  LocalizedText words;
  Table rows;
};

/// Whether a covariance has off-diagonal entries to be compared: one constant column among two has not.
bool can_be_told(const Table& table) {
  return !lacking(table, kLeastCovarianceRows, kLeastDirections) && table.cols() >= kLeastColumns;
}

Figure bars(const std::vector<std::pair<LocalizedText, DiagonalDominance>>& tables) {
  using namespace chart;
  std::vector<LocalizedText> of;
  std::vector<double> ratio;
  std::vector<double> off;
  for (const auto& [name, dominance] : tables) {
    of.push_back(name);
    ratio.push_back(dominance.ratio);
    off.push_back(dominance.off_norm);
  }
  const auto text = [](const char* of_what) {
    return localize(std::string("covariance.figures.covariance-dominance.") + of_what);
  };
  const auto bar = [&](const char* field) {
    return mark({{"type", "bar"}}, {{"y", listed("of", text("of"))}, {"x", number(field, text(field), ".2f")}});
  };
  return {.name = "covariance-dominance",
          .title = text("title"),
          .caption = text("caption"),
          .specification = side_by_side({bar("ratio"), bar("off")},
                                        {.least = 300, .most = 2, .axis = 38, .height = height_of(tables.size())}),
          .data = FigureData{{{"of", of}, {"ratio", ratio}, {"off", off}}}};
}

Findings run_covariance(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table all_positions = seen_positions(subject);
  // What row 0 holds could as well stand in [CLS]'s token row: ordinary rows are judged, where they are enough.
  const PlacedRows positions = ordinary_rows(all_positions, kLeastCovarianceRows, kLeastDirections);
  std::vector<Looked> tables{{"position", localize("covariance.tables.position"), positions.rows}};
  if (subject.tokens.rows() > 0) {
    const auto rows = conditions.quick ? std::min(kQuickRows, subject.tokens.rows()) : subject.tokens.rows();
    if (rows < subject.tokens.rows()) {
      findings.left_out.push_back(
          localize("covariance.left_out.tokens", {{"rows", rows}, {"all", subject.tokens.rows()}}));
    }
    tables.push_back(
        {"token", localize("covariance.tables.token"), rows_throughout(seen_tokens_but_first(subject), rows)});
  }
  if (std::ranges::any_of(tables, [](const Looked& one) { return !can_be_told(one.rows); })) {
    findings.gaps["4.6"] =
        localize("covariance.gap",
                 {{"rows", kLeastCovarianceRows}, {"directions", kLeastDirections}, {"columns", kLeastColumns}});
    return findings;
  }
  Numbers& numbers = findings.numbers["4.6"];
  std::vector<std::pair<LocalizedText, DiagonalDominance>> shown;
  for (size_t i = 0; i < tables.size(); ++i) {
    const auto& one = tables[i];
    const Shape shape{.rows = static_cast<size_t>(one.rows.rows()), .columns = static_cast<size_t>(one.rows.cols())};
    RandomStream noise_stream(conditions.seed, "covariance: white noise " + one.name);
    RandomStream factor_stream(conditions.seed, "covariance: one factor " + one.name);
    const auto own = dominance_of(one.rows);
    const auto noise = dominance_of(white_noise(shape, noise_stream));
    const auto factor = dominance_of(one_factor(shape, factor_stream));
    const auto turned = turned_ratios(one.rows, one.name, conditions);
    const NumberAdder with_references(numbers, own, {factor, localize("covariance.beside.one_course")},
                                      {noise, localize("covariance.beside.noise")});
    const auto add = [&](const NumberName& name, double DiagonalDominance::*of, double value,
                         const LocalizedText& rows = {}) {
      const FormatArgs args{{"table", one.words}, {"rows", rows}};
      with_references(NumberBuilder(of_table(one.name, name), name.label(args), value), of);
    };
    add(kRatio, &DiagonalDominance::ratio, own.ratio);
    add(kOffNorm, &DiagonalDominance::off_norm, own.off_norm);
    with_references(
        NumberBuilder(of_table(one.name, kRotated), kRotated.label({{"table", one.words}, {"rotations", kRotations}}),
                      median_estimate(turned)),
        &DiagonalDominance::ratio);
    if (one.name == "position") {
      add(kSameKernel, &DiagonalDominance::ratio, same_kernel_ratio(positions, conditions));
      if (one.rows.rows() < all_positions.rows()) {
        const auto with_all = dominance_of(all_positions);
        add(kAllRows, &DiagonalDominance::ratio, with_all.ratio, list_of(outlying_rows(all_positions)));
        shown.emplace_back(localize("covariance.tables.all_rows"), with_all);
      }
    }
    shown.emplace_back(one.words, own);
    shown.emplace_back(localize("covariance.tables.noise", {{"table", one.words}}), noise);
    conditions.progress(0.2 * static_cast<double>(i + 1) / static_cast<double>(tables.size()));
  }
  findings.figures = {bars(shown)};
  measure_hessian_diagonal(subject, conditions, findings);
  conditions.progress(1);
  return findings;
}

/// This number of every table there is.
std::vector<Number> of_tables(const Numbers& numbers, const NumberName& number) {
  std::vector<Number> found;
  for (const auto& one : numbers.all()) {
    if (one.name.ends_with(of_table("", number))) found.push_back(one);
  }
  return found;
}

Observation evaluate(const std::vector<double>& ratios) {
  if (std::ranges::all_of(ratios, [](double ratio) { return ratio >= kClearly; })) return Observation::holds;
  const bool one_is_not = std::ranges::any_of(ratios, [](double ratio) { return ratio < kNotLarger; });
  return one_is_not ? Observation::fails : Observation::cannot_be_told;
}

/// Whether the diagonal stands out in these coordinates more than in any others.
bool of_its_coordinates(const Numbers& numbers) {
  const auto ratios = of_tables(numbers, kRatio);
  const auto turned = of_tables(numbers, kRotated);
  for (size_t i = 0; i < ratios.size(); ++i) {
    if (ratios[i].value > kOfItsCoordinates * turned[i].interval->high) return true;
  }
  return false;
}

/// Whether the model's own H is dominated by its diagonal; open where that was not measured.
std::optional<Truth> is_dominated(const Numbers& numbers) {
  const Number* of_h = find_number(numbers, kHessianShare);
  if (of_h == nullptr) return {};
  if (of_h->interval->low >= kMostOfEnergy) return Truth::true_here;
  if (of_h->interval->high < kMostOfEnergy) return Truth::false_here;
  return {};
}

Inference concluded(const Numbers& numbers, Observation observation, std::optional<Truth> dominated) {
  if (observation == Observation::fails || !of_its_coordinates(numbers)) return Inference::does_not_follow;
  if (observation != Observation::holds || !dominated) return Inference::not_tested;
  return *dominated == Truth::true_here ? Inference::follows : Inference::does_not_follow;
}

LocalizedText reason_of(const Numbers& numbers) {
  const auto ratios = of_tables(numbers, kRatio);
  const auto turned = of_tables(numbers, kRotated);
  const auto off = of_tables(numbers, kOffNorm);
  LocalizedText and_tokens;
  if (ratios.size() > 1) {
    and_tokens =
        localize("covariance.reason_of_tokens",
                 {{"ratio", ratios[1].value}, {"turned", turned[1].value}, {"noise", ratios[1].control->value}});
  }
  LocalizedText and_h;
  if (const Number* of_h = find_number(numbers, kHessianShare)) {
    and_h = localize("covariance.reason_of_h", {{"share", of_h->value},
                                                {"low", of_h->interval->low},
                                                {"high", of_h->interval->high},
                                                {"turned", of_h->null->value}});
  }
  return localize("covariance.reason", {{"ratio", ratios[0].value},
                                        {"turned", turned[0].value},
                                        {"same_kernel", of_tables(numbers, kSameKernel).front().value},
                                        {"noise", ratios[0].control->value},
                                        {"off", off[0].value},
                                        {"off_noise", off[0].control->value},
                                        {"of_tokens", and_tokens},
                                        {"of_h", and_h}});
}

Verdict judge_covariance(const Numbers& numbers) {
  Controlled<std::vector<double>> inputs;
  const auto ratios = of_tables(numbers, kRatio);
  for (const auto& ratio : ratios) {
    inputs.own.push_back(ratio.value);
    inputs.null.push_back(ratio.null->value);
    inputs.control.push_back(ratio.control->value);
  }
  Verdict verdict;
  verdict.observation = inputs.judged_by(evaluate);
  verdict.number = std::ranges::min(ratios, {}, &Number::value).name;
  verdict.conclusion = is_dominated(numbers);
  verdict.inference = concluded(numbers, verdict.observation, verdict.conclusion);
  verdict.reason = reason_of(numbers);
  return verdict;
}

LocalizedText answer_covariance(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("4.6")) return gap_answer(findings.gaps.at("4.6"));
  const Numbers& numbers = findings.numbers.at("4.6");
  const Number* of_h = find_number(numbers, kHessianShare);
  LocalizedText then = localize("covariance.answer_without_h");
  if (of_h != nullptr) {
    const char* told = of_h->interval->low >= kMostOfEnergy   ? "covariance.answer_of_h.dominates"
                       : of_h->interval->high < kMostOfEnergy ? "covariance.answer_of_h.does_not"
                                                              : "covariance.answer_of_h.not_told";
    then = localize(told, {{"share", 100 * of_h->value}, {"turned", 100 * of_h->null->value}});
  }
  const std::string ratio = of_table("position", kRatio);
  return localize("covariance.answer", {{"ratio", numbers.value(ratio)},
                                        {"turned", numbers.value(of_table("position", kRotated))},
                                        {"noise", numbers.control(ratio)},
                                        {"of_h", then}});
}

}  // namespace
}  // namespace covariance

Experiment covariance_experiment() {
  using namespace covariance;
  Experiment experiment = described_experiment("covariance", settings());
  experiment.effort = 44;
  experiment.rules = {described_rule("covariance", "4.6", judge_covariance, settings())};
  experiment.run = run_covariance;
  experiment.answer = answer_covariance;
  return experiment;
}

}  // namespace summand::lab
