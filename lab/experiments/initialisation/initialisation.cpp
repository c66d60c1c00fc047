// E1: are the position table's numbers still those that it started from?
#include <fmt/format.h>

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

namespace {

constexpr double kUndeclaredSigma = 0.02;  // of a table alone: what BERT and GPT-2 start from
constexpr double kLike = 0.03;             // Kolmogorov–Smirnov distance
constexpr double kUnlike = 0.05;
constexpr double kKurtosisMargin = 0.5;
constexpr double kRowLevel = 0.01;
constexpr Eigen::Index kLeading = 16;
constexpr int kBins = 80;

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
  const TruncatedNormal cut{.sigma = sigma, .bound = 2};
  return {{{"normal", "正态分布"},
           sigma,
           3,
           [sigma](double x) { return normal_cdf(x / sigma); },
           [sigma](double x) { return normal_density(x / sigma) / sigma; },
           [sigma](RandomStream& stream) { return sigma * stream.normal(); }},
          {{"normal, cut at 2σ", "截断于 2σ 的正态分布"},
           sigma,
           cut.kurtosis(),
           [cut](double x) { return cut.cdf(x); },
           [cut](double x) { return cut.density(x); },
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
  const std::vector<Series> series{{series_of_table().words, {.colour = "@blue"}},
                                   {{"normal law", "正态分布"}, {.colour = "@orange"}},
                                   {{"cut at 2σ", "截断于 2σ"}, {.colour = "@red", .dash = {6, 3}}}};
  Json value = number("value", {"value", "数值"}, ".3f");
  value["scale"] = {{"nice", false}};
  const auto of = [&](Json kind, const char* field, const Series& one) {
    Json colour = coloured("", {}, series);
    for (const char* key : {"field", "title", "sort"}) colour.erase(key);
    colour["datum"] = words(one.words);
    Json density_of = number(field, one.words);
    density_of["axis"] = {{"title", words({"density", "密度"})}};
    return mark(std::move(kind), {{"x", value}, {"y", std::move(density_of)}, {"color", std::move(colour)}});
  };
  const auto line = [](const Look& look) { return Json{{"type", "line"}, {"strokeDash", look.dash}}; };
  return {.name = "initialisation-histogram",
          .title = {"Every number of the position table", "位置表中的全部数值"},
          .caption =
              {fmt::format("Bars: the table. Lines: the two laws that BERT's tables are drawn from before "
                           "training, σ = {:g}. Where bars rise over them, training moved numbers.",
                           laws.front().sigma),
               fmt::format(
                   "柱：位置表。线：训练前 BERT 各表所服从的两种初始分布，σ = {:g}。柱高于线之处，数值被训练移动过。",
                   laws.front().sigma)},
          .specification =
              layers({of({{"type", "bar"}, {"opacity", 0.5}}, "table", series[0]),
                      of(line(series[1].look), "normal", series[1]), of(line(series[2].look), "cut", series[2])}),
          .data = FigureData{{{"value", centres}, {"table", density}, {"normal", normal}, {"cut", cut}}}};
}

/// One number of a table's entries.
struct Measure {
  std::string name;
  Words label;
  std::function<double(const Table&)> of;
};

std::vector<Measure> measures_of(const Law& law) {
  return {{"standard_deviation",
           {"standard deviation of all entries", "全部元素的标准差"},
           [](const Table& one) { return standard_deviation(all_of(one)); }},
          {"distance_to_law",
           {"Kolmogorov–Smirnov distance to the law", "与初始分布的 KS 距离"},
           [law](const Table& one) { return kolmogorov_smirnov(all_of(one), law.cdf).statistic; }},
          {"kurtosis_beside_law",
           {"kurtosis less the law's", "峰度减去初始分布的峰度"},
           [law](const Table& one) { return kurtosis(all_of(one)) - law.kurtosis; }},
          {"tail_fraction",
           {"fraction of |w| > 2σ", "|w| > 2σ 的比例"},
           [law](const Table& one) { return tail_fraction(all_of(one), 2 * law.sigma); }},
          {"rows_like_law",
           {"rows that the law could have given (p ≥ .01)", "可由该分布给出的行 (p ≥ .01)"},
           [law](const Table& one) { return share_of_rows_like(one, law); }}};
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
  const Words of_null{"Laplace's law of the same σ", "同 σ 的拉普拉斯分布"};
  const Words of_control{"drawn afresh: " + law.name.en, "重新抽样：" + law.name.zh};
  Numbers& numbers = findings.numbers["E1"];
  for (const auto& part : position_parts(table)) {
    const bool whole = part.name == "all";
    const Table part_null = null.topRows(part.rows.rows());
    const Table part_control = control.topRows(part.rows.rows());
    for (const auto& one : measures) {
      const Words label{whole ? one.label.en : one.label.en + ": " + part.words.en,
                        whole ? one.label.zh : one.label.zh + "：" + part.words.zh};
      numbers.add(Measured(whole ? one.name : one.name + "_" + part.name, label, one.of(part.rows))
                      .null(one.of(part_null), of_null)
                      .control(one.of(part_control), of_control));
    }
    conditions.progress(whole ? 0.6 : 0.9);
  }
  RandomStream shuffle(conditions.seed, "initialisation: entries shuffled");
  const auto order = [&](const Table& one) { return leading_share(one); };
  numbers.add(
      Measured("leading_share", {"variance in the first 16 components", "前 16 个主成分的方差占比"}, order(table))
          .null(order(entries_shuffled(table, shuffle)), {"the same numbers in random places", "数值不变，位置打乱"})
          .control(1, {"a table of rank 16", "秩为 16 的表"}));
  findings.figures.push_back(histogram(table, laws));
  findings.remarks.push_back(
      {fmt::format("Law: {} with σ = {}{}; of the two it is the nearer one.", law.name.en, sigma,
                   subject.model ? ", as the configuration says" : ", assumed: a table alone states none"),
       fmt::format("初始分布：{}，σ = {}{}；取两者中较近的一个。", law.name.zh, sigma,
                   subject.model ? "（来自配置）" : "（假定：单独的表没有声明）")});
  conditions.progress(1);
  return findings;
}

Verdict judge_initialisation(const Numbers& numbers) {
  const double distance = numbers.value("distance_to_law");
  const bool told_apart = numbers.null("distance_to_law") > kUnlike && numbers.control("distance_to_law") <= kLike;
  const bool same_tails = std::abs(numbers.value("kurtosis_beside_law")) <= kKurtosisMargin;
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
  const double order = numbers.value("leading_share") / numbers.null("leading_share");
  verdict.inference = order > 2 ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("distance to the law {:.3f}, kurtosis {:+.2f} beside it; the first 16 components hold {:.1f} times "
                  "what the same numbers in random places hold: a histogram says nothing of order",
                  distance, numbers.value("kurtosis_beside_law"), order),
      fmt::format("与初始分布的距离 {:.3f}，峰度差 {:+.2f}；前 16 个主成分的占比是打乱后的 {:.1f} 倍：直方图看不出次序",
                  distance, numbers.value("kurtosis_beside_law"), order)};
  return verdict;
}

Words answer_initialisation(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E1")) return findings.gaps.at("E1");
  const Numbers& numbers = findings.numbers.at("E1");
  const bool like = verdicts.at("E1").observation == Observation::holds;
  return {
      fmt::format("{} The standard deviation is {:.4f}, and {:.1f} % of the numbers lie beyond two σ. That the "
                  "histogram looks alike would not mean that training left the table alone: its numbers are "
                  "ordered, which a histogram cannot show.",
                  like ? "Nearly." : "No.", numbers.value("standard_deviation"), 100 * numbers.value("tail_fraction")),
      fmt::format("{}标准差为 {:.4f}，{:.1f}% 的数值超出两个 "
                  "σ。即使直方图相像，也不表示训练没有改变它：数值是有次序的，而直方图看不到次序。",
                  like ? "大致是。" : "不是。", numbers.value("standard_deviation"),
                  100 * numbers.value("tail_fraction"))};
}

}  // namespace

Experiment initialisation_experiment() {
  return {
      .name = "initialisation",
      .title = {"Its numbers", "它的数值"},
      .question = {"Are the position table's numbers still those that it started from?",
                   "位置表的数值还和初始化时一样吗？"},
      .definition =
          {"All entries against the law that the configuration declares (Hugging Face draws from a normal law, "
           "BERT's authors from one cut at two sigmas; the nearer one is taken): standard deviation, "
           "Kolmogorov–Smirnov distance, kurtosis m₄/m₂², fraction beyond two sigmas, and row by row.",
           "全部元素与配置声明的初始分布相比（Hugging Face 用正态分布，BERT 作者用截断于两个 σ "
           "的正态分布；取较近者）：标准差、KS "
           "距离、峰度 m₄/m₂²、超出两个 σ 的比例，并逐行检验。"},
      .source = {"Devlin et al. 2019, google-research/bert create_initializer; Kolmogorov 1933",
                 "Devlin 等 2019，google-research/bert 的 create_initializer；Kolmogorov 1933"},
      .null = {"a table of Laplace's law with the same σ: the same scale, another shape",
               "同 σ 的拉普拉斯分布：尺度相同，形状不同"},
      .control = {"a table drawn afresh from the law", "由初始分布重新抽取的表"},
      .rules = {{.claim = "E1",
                 .observation = {"holds if the distance to the law is at most .03 and the kurtosis within .5 of the "
                                 "law's; fails if the distance exceeds .05 or the kurtosis does not; otherwise, or if "
                                 "null and control are not told apart, it cannot be told",
                                 "距离不超过 .03 且峰度与初始分布相差不超过 .5 则成立；距离超过 .05 "
                                 "或峰度相差更大则不成立；其余情形，或零假设与对照"
                                 "分不开时，无法判断"},
                 .inference = {"that most of the numbers are of little use does not follow if the first 16 components "
                               "hold more than twice what the same numbers hold in random places; otherwise not tested",
                               "若前 16 个主成分的占比超过打乱后的两倍，则“多数参数用处不大”推不出；否则未检验"},
                 .judge = judge_initialisation}},
      .run = run_initialisation,
      .answer = answer_initialisation};
}

}  // namespace summand::lab
