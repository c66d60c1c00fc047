// E1: do the position table's numbers, row by row, look like those that it started from?
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/kolmogorov_smirnov.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/normal_law.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/proportion.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace initialisation {
namespace {

constexpr double kUndeclaredSigma = 0.02;  // of a table alone: what BERT and GPT-2 start from
constexpr double kCut = 2;                 // sigmas: where BERT's authors cut their law, and where tails begin
constexpr double kRowLevel = 0.01;
// From planted tables of 512 x 384: drawn afresh from either law, with one long row or without, the distance is 0.01 at
// most, the kurtosis within 0.1, and 0.98 of the rows could be given by it; of Laplace's law 0.06, 2.5 and 0.37, of
// Student's with five degrees of freedom 0.04, 2.4 and 0.88.
constexpr double kLike = 0.03;
constexpr double kUnlike = 0.05;
constexpr double kSameKurtosis = 0.5;
constexpr double kOtherKurtosis = 1;
constexpr double kMostRows = 0.9;
constexpr double kFewRows = 0.5;
constexpr double kOrdered = 2;  // times what random places hold
constexpr Eigen::Index kLeading = 16;
constexpr double kPlantedNoise = 0.1;
constexpr Eigen::Index kLeastColumns = 8;  // of a row whose kurtosis says anything
constexpr int kBins = 80;
constexpr const char* kWithoutRow0 = "without_row_0";  // of position_parts()

constexpr NumberName kDistance{"initialisation", "distance_to_law"};
constexpr NumberName kKurtosis{"initialisation", "row_kurtosis_beside_law"};
constexpr NumberName kRowsLike{"initialisation", "rows_like_law"};
constexpr NumberName kTail{"initialisation", "tail_fraction"};
constexpr NumberName kScale{"initialisation", "scale"};
constexpr NumberName kDeviation{"initialisation", "standard_deviation"};
constexpr NumberName kPooledKurtosis{"initialisation", "pooled_kurtosis"};
constexpr NumberName kLeadingShare{"initialisation", "leading_share"};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"like", kLike},
          {"unlike", kUnlike},
          {"same_kurtosis", kSameKurtosis},
          {"other_kurtosis", kOtherKurtosis},
          {"most", kMostRows},
          {"few", kFewRows},
          {"level", kRowLevel},
          {"cut", kCut},
          {"ordered", kOrdered},
          {"leading", kLeading}};
}

/// One of the two laws that BERT's tables are drawn from.
struct Law {
  LocalizedText name;
  std::function<double(double)> cdf;
  std::function<double(double)> density;
  std::function<double(RandomStream&)> draw;
};

/// Hugging Face's BERT draws from a normal law, its authors' from one cut at two sigmas.
enum class Family { normal, cut };

/// @param deviation  of what is drawn: that of a cut law is less than its sigma
Law law_of(Family family, double deviation) {
  const TruncatedNormal unit{.sigma = 1, .bound = kCut};
  const TruncatedNormal cut{.sigma = deviation / unit.standard_deviation(), .bound = kCut};
  switch (family) {
    case Family::normal:
      return {localize("initialisation.laws.normal"), [deviation](double x) { return normal_cdf(x / deviation); },
              [deviation](double x) { return normal_density(x / deviation) / deviation; },
              [deviation](RandomStream& stream) { return deviation * stream.normal(); }};
    case Family::cut:
      return {localize("initialisation.laws.cut", settings()), [cut](double x) { return cut.cdf(x); },
              [cut](double x) { return cut.density(x); },
              [cut](RandomStream& stream) {
                double z = stream.normal();
                while (std::abs(z) > cut.bound) z = stream.normal();
                return cut.sigma * z;
              }};
  }
  __builtin_unreachable();
}

/// What a table's numbers are before training, where a configuration says so.
double declared_deviation(Family family, double sigma) {
  return family == Family::normal ? sigma : TruncatedNormal{.sigma = sigma, .bound = kCut}.standard_deviation();
}

std::span<const double> row_of(const Table& table, Eigen::Index row) {
  return {table.row(row).data(), static_cast<size_t>(table.cols())};
}

Table drawn_table(const Table& like, RandomStream& stream, const std::function<double(RandomStream&)>& draw) {
  Table table(like.rows(), like.cols());
  for (double& value : std::span(table.data(), static_cast<size_t>(table.size()))) value = draw(stream);
  return table;
}

/// Of the standard deviation sigma, with heavier tails: Laplace's law.
double laplace(RandomStream& stream, double sigma) {
  const double u = stream.uniform() - 0.5;
  return -std::copysign(sigma / std::sqrt(2.0), u) * std::log1p(-2 * std::abs(u));
}

/// Of the median row: single long rows do not count.
double typical_deviation(const Table& around) {
  const Vector squares = around.rowwise().squaredNorm() / static_cast<double>(around.cols());
  return std::sqrt(median(elements(squares)));
}

double typical_kurtosis(const Table& around) {
  std::vector<double> values;
  for (Eigen::Index row = 0; row < around.rows(); ++row) {
    const auto entries = row_of(around, row);
    if (standard_deviation(entries) > 0) values.push_back(kurtosis(entries));
  }
  return values.empty() ? 0 : median(values);
}

/// A table compared with a law that spreads as its median row does.
struct Likeness {
  double distance = 0;
  double row_kurtosis = 0;
  size_t rows_like = 0;
  size_t rows = 0;
  double tail = 0;             ///< beyond two deviations
  double scale = 0;            ///< the median row's deviation over the declared one
  double deviation = 0;        ///< raw
  double pooled_kurtosis = 0;  ///< raw

  [[nodiscard]] double share_like() const { return static_cast<double>(rows_like) / static_cast<double>(rows); }
};

Likeness likeness_of(const Table& table, Family family, double sigma) {
  const Table around = centred(table);
  const double deviation = typical_deviation(around);
  const Law law = law_of(family, deviation);
  Likeness result{.distance = kolmogorov_smirnov(elements(around), law.cdf).statistic,
                  .row_kurtosis = typical_kurtosis(around),
                  .rows_like = 0,
                  .rows = static_cast<size_t>(table.rows()),
                  .tail = tail_fraction(elements(around), kCut * deviation),
                  .scale = deviation / declared_deviation(family, sigma),
                  .deviation = standard_deviation(elements(table)),
                  .pooled_kurtosis = kurtosis(elements(table))};
  for (Eigen::Index row = 0; row < around.rows(); ++row) {
    result.rows_like += kolmogorov_smirnov(row_of(around, row), law.cdf).p >= kRowLevel ? 1 : 0;
  }
  return result;
}

Family nearer_family(const Table& table) {
  const Table around = centred(table);
  const auto distance = [&](Family family) {
    return kolmogorov_smirnov(elements(around), law_of(family, typical_deviation(around)).cdf).statistic;
  };
  return distance(Family::normal) <= distance(Family::cut) ? Family::normal : Family::cut;
}

/// Of the rows that are not far longer than the others: one of those is a component of its own.
double leading_share(const Table& table) {
  const Table ordinary = without_rows(table, outlying_rows(table));
  const Vector shares = variance_shares(lacking(ordinary, 2, 1) ? table : ordinary);
  return shares.head(std::min(kLeading, shares.size())).sum();
}

/// The same numbers in random places: the same histogram, no order.
Table entries_shuffled(const Table& table, RandomStream& stream) {
  Table shuffled = centred(table);
  stream.shuffle(std::span(shuffled.data(), static_cast<size_t>(shuffled.size())));
  return shuffled;
}

Table planted_order(const Table& like, RandomStream& stream) {
  const Shape shape{.rows = static_cast<size_t>(like.rows()), .columns = static_cast<size_t>(like.cols())};
  const Shape thin{.rows = shape.rows, .columns = static_cast<size_t>(kLeading)};
  const Table scores = white_noise(thin, stream);
  return scores * white_noise({thin.columns, shape.columns}, stream) / std::sqrt(static_cast<double>(kLeading)) +
         kPlantedNoise * white_noise(shape, stream);
}

Figure histogram(const Table& positions, double sigma) {
  const std::array laws{law_of(Family::normal, sigma), law_of(Family::cut, declared_deviation(Family::cut, sigma))};
  const auto values = elements(positions);
  const double end = std::max(4 * sigma, quantile(values, 0.999) * 1.25);
  const double width = 2 * end / kBins;
  std::vector<double> counts(kBins, 0);
  for (const double value : values) {
    const auto bin = static_cast<int>(std::floor((value + end) / width));
    if (bin >= 0 && bin < kBins) ++counts[static_cast<size_t>(bin)];
  }
  std::vector<double> centres;
  std::vector<double> density;
  std::vector<double> normal;
  std::vector<double> cut;
  for (int bin = 0; bin < kBins; ++bin) {
    const double centre = -end + (bin + 0.5) * width;
    centres.push_back(centre);
    density.push_back(counts[static_cast<size_t>(bin)] / static_cast<double>(values.size()) / width);
    normal.push_back(laws[0].density(centre));
    cut.push_back(laws[1].density(centre));
  }
  using namespace chart;
  const auto text = [&](const char* name) {
    FormatArgs args = settings();
    args.emplace_back("sigma", sigma);
    return localize(std::string("initialisation.figures.initialisation-histogram.") + name, args);
  };
  const std::vector<Series> series{{series_of_table().words, {.colour = "@blue"}},
                                   {text("normal"), {.colour = "@orange"}},
                                   {text("cut"), {.colour = "@red", .dash = {6, 3}}}};
  Json value = number("value", text("value"), ".3f");
  value["scale"] = {{"nice", false}};
  const auto of = [&](Json kind, const char* field, const Series& one) {
    Json colour = coloured("", {}, series);
    for (const char* key : {"field", "title", "sort"}) colour.erase(key);
    colour["datum"] = words(one.words);
    Json density_of = number(field, one.words);
    density_of["axis"] = {{"title", words(text("density"))}};
    return mark(std::move(kind), {{"x", value}, {"y", std::move(density_of)}, {"color", std::move(colour)}});
  };
  const auto line = [](const Look& look) { return Json{{"type", "line"}, {"strokeDash", look.dash}}; };
  return {.name = "initialisation-histogram",
          .title = text("title"),
          .caption = text("caption"),
          .specification =
              layers({of({{"type", "bar"}, {"opacity", 0.5}}, "table", series[0]),
                      of(line(series[1].look), "normal", series[1]), of(line(series[2].look), "cut", series[2])}),
          .data = FigureData{{{"value", centres}, {"table", density}, {"normal", normal}, {"cut", cut}}}};
}

/// What is read off a table, and its null and control.
struct Sides {
  Likeness own;
  Likeness null;
  Likeness control;
  double reference_kurtosis = 0;  ///< of rows drawn afresh once more

  [[nodiscard]] double beside_law(const Likeness& one) const { return one.row_kurtosis - reference_kurtosis; }
};

/// Drawn tables of the same size, in the same rows.
struct ReferenceTables {
  Table laplace;
  Table afresh;
  Table reference;
};

void add_part(Numbers& numbers, const PositionPart& part, const ReferenceTables& references, Family family,
              double sigma) {
  const auto rows = part.rows.rows();
  const Sides sides{.own = likeness_of(part.rows, family, sigma),
                    .null = likeness_of(references.laplace.topRows(rows), family, sigma),
                    .control = likeness_of(references.afresh.topRows(rows), family, sigma),
                    .reference_kurtosis = typical_kurtosis(centred(references.reference.topRows(rows)))};
  const bool whole = part.name == "all";
  const LocalizedText of_null = localize("initialisation.laplace");
  const LocalizedText of_control = localize("initialisation.afresh", {{"law", law_of(family, sigma).name}});
  FormatArgs args = settings();
  args.emplace_back("part", whole ? LocalizedText{} : LocalizedText{": " + part.words.en, "：" + part.words.zh});
  args.emplace_back("rows", rows);
  const NumberAdder with_references(numbers, sides.own, {sides.null, of_null}, {sides.control, of_control});
  const auto name_of_part = [&](const NumberName& name) { return whole ? std::string(name) : name.of(part.name); };
  const auto add = [&](const NumberName& name, const auto& of) {
    with_references(name_of_part(name), name.label(args), of);
  };
  add(kDistance, &Likeness::distance);
  add(kKurtosis, [&](const Likeness& one) { return sides.beside_law(one); });
  add(kRowsLike, [](const Likeness& one) {
    return Estimate{one.share_like(), exact_proportion(one.rows_like, one.rows)};
  });
  add(kTail, &Likeness::tail);
  add(kScale, &Likeness::scale);
  add(kDeviation, &Likeness::deviation);
  add(kPooledKurtosis, &Likeness::pooled_kurtosis);
}

Findings run_initialisation(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  if (const auto gap = lacking(table, kLeastPart, 1)) {
    findings.gaps["E1"] = *gap;
    return findings;
  }
  if (table.cols() < kLeastColumns || typical_deviation(centred(table)) == 0) {
    findings.gaps["E1"] = localize("initialisation.gap", {{"columns", kLeastColumns}});
    return findings;
  }
  const double sigma = subject.model ? subject.model->config().initializer_range : kUndeclaredSigma;
  const Family family = nearer_family(table);
  const Law declared = law_of(family, declared_deviation(family, sigma));
  RandomStream null_stream(conditions.seed, "initialisation: Laplace");
  RandomStream control_stream(conditions.seed, "initialisation: law");
  RandomStream reference_stream(conditions.seed, "initialisation: law again");
  const ReferenceTables references{
      .laplace = drawn_table(table, null_stream, [&](RandomStream& stream) { return laplace(stream, sigma); }),
      .afresh = drawn_table(table, control_stream, declared.draw),
      .reference = drawn_table(table, reference_stream, declared.draw)};
  conditions.progress(0.3);
  Numbers& numbers = findings.numbers["E1"];
  for (const auto& part : position_parts(table)) {
    // Of a part, all rows may be the mean.
    if (typical_deviation(centred(part.rows)) > 0) add_part(numbers, part, references, family, sigma);
    conditions.progress(part.name == "all" ? 0.6 : 0.9);
  }
  RandomStream shuffle(conditions.seed, "initialisation: entries shuffled");
  RandomStream order(conditions.seed, "initialisation: low rank");
  numbers.add(
      NumberBuilder(kLeadingShare, leading_share(table), settings())
          .null(leading_share(entries_shuffled(table, shuffle)), localize("initialisation.shuffled"))
          .control(leading_share(planted_order(table, order)), localize("initialisation.low_rank", settings())));
  findings.figures.push_back(histogram(table, sigma));
  findings.remarks.push_back(
      localize(subject.model ? "initialisation.remarks.declared" : "initialisation.remarks.assumed",
               {{"law", declared.name}, {"sigma", sigma}}));
  conditions.progress(1);
  return findings;
}

struct RuleInputs {
  double distance = 0;
  double kurtosis = 0;
  Interval rows_like;
};

Observation evaluate(const RuleInputs& one) {
  const double kurtosis = std::abs(one.kurtosis);
  if (one.distance <= kLike && kurtosis <= kSameKurtosis && one.rows_like.low >= kMostRows) return Observation::holds;
  const bool unlike = one.distance > kUnlike || kurtosis > kOtherKurtosis || one.rows_like.high < kFewRows;
  return unlike ? Observation::fails : Observation::cannot_be_told;
}

/// The number that decides: where it fails, one that is beyond its bar for failing.
std::string decided_by(const RuleInputs& one, Observation observation) {
  const double kurtosis = std::abs(one.kurtosis);
  if (observation == Observation::fails) {
    return deciding_number(
        {{kDistance, one.distance <= kUnlike}, {kKurtosis, kurtosis <= kOtherKurtosis}, {kRowsLike, false}});
  }
  return deciding_number({{kDistance, one.distance <= kLike},
                          {kKurtosis, kurtosis <= kSameKurtosis},
                          {kRowsLike, one.rows_like.low >= kMostRows}});
}

/// With row 0 and without it: what it holds could as well stand in [CLS]'s token row.
Observation evaluate_with_and_without(const RuleInputs& own, const Numbers& numbers) {
  const Number* rows = find_number(numbers, kRowsLike.of(kWithoutRow0));
  const Observation with = evaluate(own);
  if (rows == nullptr) return with;
  const RuleInputs without{numbers.value(kDistance.of(kWithoutRow0)), numbers.value(kKurtosis.of(kWithoutRow0)),
                           *rows->interval};
  return evaluate(without) == with ? with : Observation::cannot_be_told;
}

Verdict judge_initialisation(const Numbers& numbers) {
  const auto inputs = controlled(numbers, [](const NumberReader& of) {
    return RuleInputs{of.value(kDistance), of.value(kKurtosis), of.interval(kRowsLike)};
  });
  const RuleInputs& own = inputs.own;
  Verdict verdict;
  verdict.observation = observation_if(inputs.controls_pass(evaluate), evaluate_with_and_without(own, numbers));
  verdict.number = decided_by(own, verdict.observation);
  const double order = numbers.value(kLeadingShare) / numbers.null(kLeadingShare);
  verdict.inference = order > kOrdered ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = localize("initialisation.reason", {{"leading", kLeading},
                                                      {"level", kRowLevel},
                                                      {"distance", own.distance},
                                                      {"kurtosis", own.kurtosis},
                                                      {"rows", numbers.value(kRowsLike)},
                                                      {"low", own.rows_like.low},
                                                      {"high", own.rows_like.high},
                                                      {"scale", numbers.value(kScale)},
                                                      {"order", order}});
  return verdict;
}

LocalizedText answer_initialisation(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E1")) return gap_answer(findings.gaps.at("E1"));
  const Numbers& numbers = findings.numbers.at("E1");
  const Verdict& verdict = verdicts.at("E1");
  const bool ordered = verdict.inference == Inference::does_not_follow;
  const char* seen = verdict.observation == Observation::fails   ? "initialisation.seen.unlike"
                     : verdict.observation != Observation::holds ? "initialisation.seen.untold"
                     : ordered                                   ? "initialisation.seen.alike_but_ordered"
                                                                 : "initialisation.seen.alike";
  return localize("initialisation.answer",
                  {{"seen", localize(seen)},
                   {"percent_rows", 100 * numbers.value(kRowsLike)},
                   {"percent_beyond", 100 * numbers.value(kTail)},
                   {"order", localize(ordered ? "initialisation.ordered" : "initialisation.not_ordered", settings())}});
}

}  // namespace
}  // namespace initialisation

Experiment initialisation_experiment() {
  using namespace initialisation;
  Experiment experiment = described_experiment("initialisation", settings());
  experiment.rules = {described_rule("initialisation", "E1", judge_initialisation, settings())};
  experiment.run = run_initialisation;
  experiment.answer = answer_initialisation;
  return experiment;
}

}  // namespace summand::lab
