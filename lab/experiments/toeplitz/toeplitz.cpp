// 4.5: with a diagonal H, is the interaction a function of m − n plus one of m + n, and does a learned table have that?
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/number_name.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/toeplitz/diagonal_forms.hpp"
#include "lab/experiments/toeplitz/model_inference.hpp"
#include "lab/experiments/toeplitz/toeplitz_measured.hpp"
#include "lab/nulls/beyond_kernel.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/other_rows.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/nulls/share_numbers.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace toeplitz {
namespace {

using Eigen::Index;

constexpr size_t kLeastRows = 32;
constexpr Index kLeastColumns = 4;
constexpr double kRowsMatter = 0.1;  // from which the reason says what all rows have
constexpr size_t kWalks = 3;         // in the figure alone

constexpr NumberName kByDistance{"toeplitz", "own_by_distance"};
constexpr NumberName kPhases{"toeplitz", "joint_phases"};
constexpr NumberName kSinusoid{"toeplitz", "sinusoid_by_distance"};
constexpr ShareNames kShare{kByDistance, kPhases, kSinusoid};
constexpr NumberName kOwnToeplitz{"toeplitz", "own_toeplitz"};
constexpr NumberName kOwnHankel{"toeplitz", "own_hankel"};
constexpr NumberName kOwnShared{"toeplitz", "own_shared"};
constexpr NumberName kOwnRest{"toeplitz", "own_rest"};

/// What the texts say of the constants.
FormatArgs settings() {
  FormatArgs all{{"left", kLeftBeyond},
                 {"exact", kExactShare},
                 {"least", kLeastShare},
                 {"nearly_all", kNearlyAll},
                 {"far_more", kFarMore}};
  for (const auto& part : {algebra_settings(), measured_settings()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The share by distance, and the four shares of the centred products.
enum Share : size_t { by_distance, toeplitz_share, hankel_share, shared_share, rest_share };

ToeplitzHankel product_shares(const PlacedRows& rows, const ToeplitzHankelFit& fit) {
  const Table around = centred(rows.rows);
  return fit.shares(around * around.transpose());
}

std::vector<double> shares_of(const PlacedRows& rows, const ToeplitzHankelFit& fit) {
  const ToeplitzHankel shares = product_shares(rows, fit);
  return {share_by_distance(squared_distances(rows)), shares.toeplitz, shares.hankel, shares.shared, shares.rest};
}

ToeplitzHankel medians_of(const std::vector<std::vector<double>>& draws) {
  return {median(draws[toeplitz_share]), median(draws[hankel_share]), median(draws[shared_share]),
          median(draws[rest_share])};
}

Figure shares_figure(const std::vector<std::pair<LocalizedText, ToeplitzHankel>>& tables) {
  using namespace chart;
  const auto text = [](const char* name) { return localize(std::string("toeplitz.figures.toeplitz-shares.") + name); };
  const std::vector<Series> parts{{text("toeplitz"), {.colour = "@blue"}},
                                  {text("hankel"), {.colour = "@orange"}},
                                  {text("shared"), {.colour = "@green"}},
                                  {text("rest"), {.colour = "@faint"}}};
  std::vector<LocalizedText> of;
  std::vector<LocalizedText> part;
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

/// Of all rows, in their places: the mean row that is taken away is that of the rows that the claim is judged by.
Figure products_figure(const Table& table, const PlacedRows& judged) {
  const auto text = [](const char* name) {
    return localize(std::string("toeplitz.figures.toeplitz-products.") + name);
  };
  const Table around = table.rowwise() - column_means(judged.rows).transpose();
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

void add_own(const KernelComparisons& own, const KernelComparisons& sine, const KernelDraws& draws, Numbers& numbers) {
  const LocalizedText of_gaussian = median_of_draws(words_of(SameKernel::gaussian), draws.gaussian);
  const auto add = [&](const NumberName& name, Share share) {
    numbers.add(NumberBuilder(name, own.own[share])
                    .null(median_estimate(own.gaussian[share]), of_gaussian)
                    .control(sine.own[share], words_of_sinusoid()));
  };
  const ShareWords words{localize("toeplitz.beside.of_sinusoid"),
                         localize("toeplitz.beside.of_sinusoid_kernel"),
                         localize("toeplitz.beside.function_of_distance"),
                         {{"draws", draws.joint_phases}}};
  add_share(kShare, words, own, sine, by_distance, draws, numbers);
  add(kOwnToeplitz, toeplitz_share);
  add(kOwnHankel, hankel_share);
  add(kOwnShared, shared_share);
  add(kOwnRest, rest_share);
}

/// The median of a few random walks.
ToeplitzHankel of_walks(const PlacedRows& like, const ToeplitzHankelFit& fit, const Conditions& conditions) {
  return medians(drawn_from(Surrogate::random_walk, like.rows, "toeplitz", kWalks, conditions,
                            [&](const Table& one) { return product_shares({.rows = one, .at = like.at}, fit); }));
}

ToeplitzHankel own_shares(const std::vector<double>& shares) {
  return {shares[toeplitz_share], shares[hankel_share], shares[shared_share], shares[rest_share]};
}

Findings run_toeplitz(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  const auto left_out = outlying_rows(table);
  const PlacedRows rows = placed_rows(table, left_out);
  const auto gap = lacking(rows.rows, kLeastRows, 2);
  if (gap || table.cols() < kLeastColumns) {
    findings.gaps["4.5"] = gap.value_or(localize("toeplitz.gap", {{"columns", kLeastColumns}}));
    return findings;
  }
  const KernelSizes& sizes = conditions.quick ? kQuickKernelSizes : kFullKernelSizes;
  if (conditions.quick) {
    findings.left_out.push_back(
        localize("toeplitz.left_out.draws", {{"few", kQuickKernelSizes.table.gaussian},
                                             {"few_phases", kQuickKernelSizes.table.joint_phases},
                                             {"many", kFullKernelSizes.table.gaussian},
                                             {"many_phases", kFullKernelSizes.table.joint_phases}}));
  }
  const FormShares algebra = form_shares(conditions);
  const ToeplitzHankelFit fit(rows.at);
  conditions.progress(0.1);
  const auto shares = [&](const PlacedRows& one) { return shares_of(one, fit); };
  const auto own = compared_with_kernel(rows, "toeplitz", sizes.table, conditions, shares);
  conditions.progress(0.3);
  const PlacedRows sine = placed_rows(sinusoid_like(table), left_out);
  const auto of_sine = compared_with_kernel(sine, "toeplitz of a sinusoid", sizes.sinusoid, conditions, shares);
  conditions.progress(0.4);

  Numbers& numbers = findings.numbers["4.5"];
  add_algebra(algebra, numbers);
  add_own(own, of_sine, sizes.table, numbers);
  add_other_rows(kByDistance, "toeplitz", table, of_sine.own[by_distance], sizes.other_rows, conditions, numbers);
  findings.remarks.push_back(localize("toeplitz.remarks.rows", {{"rows", list_of(left_out)}}));
  conditions.progress(0.5);
  std::optional<MeasuredShares> measured;
  if (has_own_forms(subject)) {
    measured = measured_shares(subject, rows, fit, conditions);
    add_measured(measured, subject, conditions, findings);
  }

  const auto text = [](const char* name) { return localize(std::string("toeplitz.figures.toeplitz-shares.") + name); };
  std::vector<std::pair<LocalizedText, ToeplitzHankel>> tables{
      {text("sinusoid_diagonal"), medians(algebra.diagonal)},
      {localize("toeplitz.beside.sinusoid_pairs"), medians(algebra.equal_pairs)},
      {text("sinusoid_full"), medians(algebra.full)},
      {series_of_table().words, own_shares(own.own)},
      {words_of_sinusoid(), own_shares(of_sine.own)},
      {words_of(SameKernel::gaussian), medians_of(own.gaussian)},
      {words_of(SameKernel::joint_phases), medians_of(own.joint_phases)},
      {words_of(Surrogate::random_walk), of_walks(rows, fit, conditions)}};
  if (measured) {
    tables.emplace_back(text("own_measured"), measured->own);
    tables.emplace_back(text("gaussian_measured"), measured->gaussian);
  }
  findings.figures = {shares_figure(tables), products_figure(table, rows)};
  conditions.progress(1);
  return findings;
}

/// With H = I, where there is no model: what the distances of the rows tell.
Inference of_table_alone(const Numbers& numbers) {
  if (standing(sinusoid_share(kShare, numbers)) != Standing::beyond) return Inference::not_tested;
  switch (standing(own_share(kShare, numbers))) {
    case Standing::beyond:
      return told_without_outlying_alone(kByDistance, numbers) ? Inference::not_tested : Inference::follows;
    case Standing::within:
      return Inference::not_tested;
    case Standing::below:
      return Inference::does_not_follow;
  }
  return Inference::not_tested;
}

Verdict judge_toeplitz(const Numbers& numbers) {
  Verdict verdict;
  verdict.observation = judge_algebra(numbers);
  verdict.number = deciding_algebra(numbers);
  const auto of_model = inference_of_model(numbers);
  verdict.inference = of_model ? *of_model : of_table_alone(numbers);
  const KernelComparison own = own_share(kShare, numbers);
  const double all = numbers.value(kByDistance.of("all"));
  const bool rows_matter = std::abs(all - own.own) >= kRowsMatter;
  verdict.reason =
      localize("toeplitz.reason.shares",
               {{"algebra", words_of_algebra(numbers)},
                {"own", own.own},
                {"gaussian_low", own.gaussian.low},
                {"gaussian_high", own.gaussian.high},
                {"with_all", rows_matter ? localize("toeplitz.reason.all_rows", {{"all", all}}) : LocalizedText{}},
                {"measured", reason_of_measured(numbers)}});
  return verdict;
}

LocalizedText answer_toeplitz(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.5")) return gap_answer(findings.gaps.at("4.5"));
  const Numbers& numbers = findings.numbers.at("4.5");
  const KernelComparison own = own_share(kShare, numbers);
  const auto observation = verdicts.at("4.5").observation;
  const char* algebra = observation == Observation::holds   ? "toeplitz.answer.holds"
                        : observation == Observation::fails ? "toeplitz.answer.fails"
                                                            : "toeplitz.answer.not_shown";
  return localize("toeplitz.answer.shares", {{"algebra", localize(algebra)},
                                             {"own", 100 * own.own},
                                             {"gaussian_low", 100 * own.gaussian.low},
                                             {"gaussian_high", 100 * own.gaussian.high},
                                             {"then", answer_of_measured(numbers)}});
}

}  // namespace
}  // namespace toeplitz

Experiment toeplitz_experiment() {
  using namespace toeplitz;
  Experiment experiment = described_experiment("toeplitz", settings());
  experiment.effort = 108;
  experiment.rules = {
      described_rule("toeplitz", "4.5", judge_toeplitz, settings(), {.kind = Kind::algebra, .claim = "4.5"})};
  experiment.run = run_toeplitz;
  experiment.answer = answer_toeplitz;
  return experiment;
}

}  // namespace summand::lab
