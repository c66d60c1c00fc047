// E1: are the position table's numbers still those that it started from?
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/kolmogorov_smirnov.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/normal_law.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace initialisation {
namespace {

constexpr double kUndeclaredSigma = 0.02;  // of a table alone: what BERT and GPT-2 start from
constexpr double kLike = 0.03;             // Kolmogorov–Smirnov distance
constexpr double kUnlike = 0.05;
constexpr double kKurtosisMargin = 0.5;
constexpr double kRowLevel = 0.01;
constexpr double kCut = 2;      // sigmas: where BERT's authors cut their law, and where tails begin
constexpr double kOrdered = 2;  // times what random places hold; the rule says it in words
constexpr Eigen::Index kLeading = 16;
constexpr int kBins = 80;

constexpr NumberName kDeviation{"initialisation", "standard_deviation"};
constexpr NumberName kDistance{"initialisation", "distance_to_law"};
constexpr NumberName kKurtosis{"initialisation", "kurtosis_beside_law"};
constexpr NumberName kTail{"initialisation", "tail_fraction"};
constexpr NumberName kRowsLike{"initialisation", "rows_like_law"};
constexpr NumberName kLeadingShare{"initialisation", "leading_share"};

/// What the texts say of the constants.
Fills settings() {
  return {{"like", kLike},      {"unlike", kUnlike}, {"margin", kKurtosisMargin},
          {"level", kRowLevel}, {"cut", kCut},       {"leading", kLeading}};
}

/// One of the two laws that BERT's tables are drawn from.
struct Law {
  Words name;
  double sigma = 0;
  double kurtosis = 0;
  std::function<double(double)> cdf;
  std::function<double(double)> density;
  std::function<double(RandomStream&)> draw;
};

/// Hugging Face's BERT draws from a normal law, its authors' from one cut at two sigmas.
std::vector<Law> laws_of(double sigma) {
  const TruncatedNormal cut{.sigma = sigma, .bound = kCut};
  return {{wording("initialisation.laws.normal"), sigma, 3, [sigma](double x) { return normal_cdf(x / sigma); },
           [sigma](double x) { return normal_density(x / sigma) / sigma; },
           [sigma](RandomStream& stream) { return sigma * stream.normal(); }},
          {wording("initialisation.laws.cut", settings()), sigma, cut.kurtosis(),
           [cut](double x) { return cut.cdf(x); }, [cut](double x) { return cut.density(x); },
           [cut](RandomStream& stream) {
             double z = stream.normal();
             while (std::abs(z) > cut.bound) z = stream.normal();
             return cut.sigma * z;
           }}};
}

std::span<const double> all_of(const Table& table) {
  return {table.data(), static_cast<size_t>(table.size())};
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

double share_of_rows_like(const Table& table, const Law& law) {
  Eigen::Index like = 0;
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    const std::span<const double> values(table.row(row).data(), static_cast<size_t>(table.cols()));
    like += kolmogorov_smirnov(values, law.cdf).p >= kRowLevel ? 1 : 0;
  }
  return static_cast<double>(like) / static_cast<double>(table.rows());
}

double leading_share(const Table& table) {
  const Vector shares = variance_shares(table);
  return shares.head(std::min(kLeading, shares.size())).sum();
}

/// The same numbers in random places: the same histogram, no order.
Table entries_shuffled(const Table& table, RandomStream& stream) {
  Table shuffled = table;
  stream.shuffle(std::span(shuffled.data(), static_cast<size_t>(shuffled.size())));
  return shuffled;
}

Figure histogram(const Table& positions, const std::vector<Law>& laws) {
  const auto values = all_of(positions);
  const double end = std::max(4 * laws.front().sigma, quantile(values, 0.999) * 1.25);
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
    Fills fills = settings();
    fills.emplace_back("sigma", laws.front().sigma);
    return wording(std::string("initialisation.figures.initialisation-histogram.") + name, fills);
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

/// One number of a table's entries.
struct Measure {
  NumberName name;
  std::function<double(const Table&)> of;
};

std::vector<Measure> measures_of(const Law& law) {
  return {{kDeviation, [](const Table& one) { return standard_deviation(all_of(one)); }},
          {kDistance, [law](const Table& one) { return kolmogorov_smirnov(all_of(one), law.cdf).statistic; }},
          {kKurtosis, [law](const Table& one) { return kurtosis(all_of(one)) - law.kurtosis; }},
          {kTail, [law](const Table& one) { return tail_fraction(all_of(one), kCut * law.sigma); }},
          {kRowsLike, [law](const Table& one) { return share_of_rows_like(one, law); }}};
}

Findings run_initialisation(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto gap = lacking(subject.positions, 2, 1)) {
    findings.gaps["E1"] = *gap;
    return findings;
  }
  const double sigma = subject.model ? subject.model->config().initializer_range : kUndeclaredSigma;
  const auto laws = laws_of(sigma);
  const Table& table = subject.positions;
  const auto distance = [&](const Law& law) { return kolmogorov_smirnov(all_of(table), law.cdf).statistic; };
  const bool first_is_nearer = distance(laws[0]) <= distance(laws[1]);
  const Law& law = laws[first_is_nearer ? 0 : 1];
  const auto measures = measures_of(law);

  RandomStream null_stream(conditions.seed, "initialisation: Laplace");
  RandomStream control_stream(conditions.seed, "initialisation: law");
  const Table null = drawn_table(table, null_stream, [&](RandomStream& stream) { return laplace(stream, sigma); });
  const Table control = drawn_table(table, control_stream, law.draw);
  conditions.progress(0.3);
  const Words of_null = wording("initialisation.laplace");
  const Words of_control = wording("initialisation.afresh", {{"law", law.name}});
  Numbers& numbers = findings.numbers["E1"];
  for (const auto& part : position_parts(table)) {
    const bool whole = part.name == "all";
    Fills fills = settings();
    fills.emplace_back("part", whole ? Words{} : Words{": " + part.words.en, "：" + part.words.zh});
    const Table part_null = null.topRows(part.rows.rows());
    const Table part_control = control.topRows(part.rows.rows());
    for (const auto& one : measures) {
      numbers.add(
          Measured(whole ? std::string(one.name) : one.name.of(part.name), one.name.label(fills), one.of(part.rows))
              .null(one.of(part_null), of_null)
              .control(one.of(part_control), of_control));
    }
    conditions.progress(whole ? 0.6 : 0.9);
  }
  RandomStream shuffle(conditions.seed, "initialisation: entries shuffled");
  const auto order = [&](const Table& one) { return leading_share(one); };
  numbers.add(Measured(kLeadingShare, order(table), settings())
                  .null(order(entries_shuffled(table, shuffle)), wording("initialisation.shuffled"))
                  .control(1, wording("initialisation.low_rank", settings())));
  findings.figures.push_back(histogram(table, laws));
  findings.remarks.push_back(
      wording(subject.model ? "initialisation.remarks.declared" : "initialisation.remarks.assumed",
              {{"law", law.name}, {"sigma", sigma}}));
  conditions.progress(1);
  return findings;
}

Verdict judge_initialisation(const Numbers& numbers) {
  const double distance = numbers.value(kDistance);
  const bool told_apart = numbers.null(kDistance) > kUnlike && numbers.control(kDistance) <= kLike;
  const bool same_tails = std::abs(numbers.value(kKurtosis)) <= kKurtosisMargin;
  Verdict verdict;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (distance <= kLike && same_tails) {
    verdict.observation = Observation::holds;
  } else if (distance > kUnlike || !same_tails) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const double order = numbers.value(kLeadingShare) / numbers.null(kLeadingShare);
  verdict.inference = order > kOrdered ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = wording(
      "initialisation.reason",
      {{"leading", kLeading}, {"distance", distance}, {"kurtosis", numbers.value(kKurtosis)}, {"order", order}});
  return verdict;
}

Words answer_initialisation(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E1")) return findings.gaps.at("E1");
  const Numbers& numbers = findings.numbers.at("E1");
  const bool like = verdicts.at("E1").observation == Observation::holds;
  return wording(like ? "initialisation.answer_alike" : "initialisation.answer_unlike",
                 {{"deviation", numbers.value(kDeviation)}, {"percent_beyond", 100 * numbers.value(kTail)}});
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
