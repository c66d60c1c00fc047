// Section 2.7 of the ledger's notes: what the first layer's attention makes of positions alone.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/readings.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/identical_words/attention_metrics.hpp"
#include "lab/experiments/identical_words/position_attention.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr size_t kMostRepeated = 128;
constexpr size_t kLeastRepeated = 8;
constexpr double kTinyNoise = 1e-6;
constexpr std::array<const char*, 4> kMainMetrics{"toeplitz", "symmetry", "monotonicity", "published_symmetry"};

const Words kOfNull{"white-noise positions", "白噪声位置"};
const Words kOfControl{"logits that fall with distance (ALiBi)", "logit 随距离下降（ALiBi）"};

/// As long and as far from 0 as the table's rows, with its mean row.
Table fitted(const Table& drawn, const Table& table) {
  Table like = Table::Zero(table.rows(), table.cols());
  const Table around = centred(drawn);
  const double norm = std::max(around.norm(), 1e-30);
  like.leftCols(drawn.cols()) = around * (centred(table).norm() / norm);
  like.rowwise() += table.colwise().mean();
  return like;
}

/// What all runs of one experiment share.
struct Bench {
  const Subject& subject;
  const Conditions& conditions;
  Table table;        ///< the first positions
  Repetition own;     ///< with [CLS] and [SEP]
  Repetition beside;  ///< with fewer words

  [[nodiscard]] PositionAttention with_positions(const Table& positions) const {
    auto model = changed_model(subject);
    model.replace_positions(fitted(positions, table));
    return position_attention(std::move(model), subject, beside);
  }
  [[nodiscard]] PositionAttention drawn(Surrogate surrogate, RandomStream& stream) const {
    return with_positions(drawn_surrogate(surrogate, table, stream));
  }
  [[nodiscard]] Draws draws(Surrogate surrogate) const {
    return {
        .seed = conditions.seed, .name = "identical words: " + name_of(surrogate), .count = conditions.quick ? 2U : 5U};
  }
};

/// Null and control of every reading, under the same names.
struct Neighbours {
  ReadingsBeside null;
  ReadingsBeside control;
};

Readings only_main(const Readings& readings, const std::string& prefix) {
  Readings kept;
  for (const Reading& reading : readings) {
    const bool main =
        std::ranges::any_of(kMainMetrics, [&](const char* name) { return reading.name == prefix + name; });
    if (main) kept.push_back(reading);
  }
  return kept;
}

Readings renamed(Readings readings, const Readings& names) {
  for (size_t i = 0; i < readings.size(); ++i) {
    readings[i].name = names[i].name;
    readings[i].label = names[i].label;
  }
  return readings;
}

/// The main metrics of something else, beside the same null and control.
void add_other(Numbers& numbers, const Readings& readings, const std::string& prefix, const Neighbours& beside) {
  const Readings own = only_main(readings, prefix);
  const Readings null = renamed(only_main(beside.null.readings, ""), own);
  const Readings control = renamed(only_main(beside.control.readings, ""), own);
  for (Number& number : numbers_beside(own, {beside.null.of, null}, {beside.control.of, control})) {
    numbers.add(std::move(number));
  }
}

/// Over the groups of words that were drawn.
Interval over_words(const PositionAttention& own, double (*metric)(const Table&), const Conditions& conditions) {
  return bootstrap(own.groups.size(),
                   [&](std::span<const size_t> chosen) {
                     Table sum = Table::Zero(own.groups.front().rows(), own.groups.front().cols());
                     for (const size_t group : chosen) sum += own.groups[group];
                     return metric(sum / static_cast<double>(chosen.size()));
                   },
                   {.seed = conditions.seed,
                    .name = "identical words: groups",
                    .count = conditions.quick ? 20U : 100U,
                    .threads = threads_of(conditions)});
}

double monotonicity_of(const Table& attention) {
  return local_monotonicity(attention, kLocalWindow);
}

/// P·Pᵀ itself, rows centred.
Readings product_readings(const Table& table) {
  const Table around = centred(table);
  const Table products = around * around.transpose();
  return {{"products_toeplitz",
           {"Toeplitz R² of P·Pᵀ, rows centred", "P·Pᵀ 的 Toeplitz R²，行中心化"},
           distance_share(products)},
          {"products_monotonicity",
           {"local monotonicity of P·Pᵀ (τ)", "P·Pᵀ 的局部单调性（τ）"},
           monotonicity_of(products)}};
}

void measure_products(const Table& table, const Conditions& conditions, Numbers& numbers) {
  const Readings null = median_readings(
      {.seed = conditions.seed, .name = "identical words: products", .count = 5},
      [&](RandomStream& stream) { return product_readings(drawn_surrogate(Surrogate::white_noise, table, stream)); });
  for (Number& number : numbers_beside(product_readings(table), {words_of_median(Surrogate::white_noise, 5), null},
                                       {words_of_sinusoid(), product_readings(sinusoid_like(table))})) {
    numbers.add(std::move(number));
  }
}

struct Curve {
  chart::Series series;
  Table attention;  ///< heads averaged
};

Figure curves_figure(const std::vector<Curve>& curves) {
  using namespace chart;
  constexpr Index kFar = 24;
  std::vector<double> offset;
  std::vector<double> weight;
  std::vector<Words> of;
  std::vector<Series> series;
  for (const Curve& curve : curves) {
    series.push_back(curve.series);
    const Index n = curve.attention.rows();
    const Index far = std::min(kFar, n - 2);
    for (Index d = -far; d <= far; ++d) {
      offset.push_back(static_cast<double>(d));
      weight.push_back(curve.attention.diagonal(d).mean() * static_cast<double>(n));
      of.push_back(curve.series.words);
    }
  }
  return {.name = "identical-words-distance",
          .title = {"Attention by distance, words all the same", "词全部相同时注意力随距离的变化"},
          .caption = {"Heads averaged; 1 is even attention. Left of 0 lies what stands before a word.",
                      "各头平均；1 为均匀。0 左侧为该词之前的位置。"},
          .specification =
              layers({mark({{"type", "line"}},
                           of_lines({{"x", whole("offset", {"distance j − i, in positions", "距离 j − i（位置）"})},
                                     {"y", number("weight", {"weight over even weight", "权重与均匀权重之比"})}},
                                    "of", {"positions", "位置"}, series)),
                      rule("y", 1)}),
          .data = FigureData{{{"offset", offset}, {"weight", weight}, {"of", of}}}};
}

Figure matrix_figure(const Table& attention) {
  const Table even = attention * static_cast<double>(attention.cols());
  std::vector<double> cells(even.data(), even.data() + even.size());
  MatrixData matrix{.rows = static_cast<size_t>(even.rows()),
                    .columns = static_cast<size_t>(even.cols()),
                    .values = {cells.begin(), cells.end()},
                    .row_label = {"position that looks", "关注方的位置"},
                    .column_label = {"position looked at", "被关注的位置"},
                    .value_label = {"weight over even weight", "权重与均匀权重之比"},
                    .low = 0,
                    .high = quantile(cells, 0.99),
                    .scale = MatrixData::Scale::sequential};
  return {.name = "identical-words-matrix",
          .title = {"First-layer attention where only positions differ", "只有位置不同时第一层的注意力"},
          .caption = {"Heads and words averaged. Diagonal bands depend on distance; vertical ones favour places.",
                      "对头与词平均。斜带取决于距离；竖带偏爱某些位置。"},
          .specification = {},
          .data = std::move(matrix)};
}

void measure_beside(const Bench& bench, const Neighbours& beside, Numbers& numbers, std::vector<Curve>& curves) {
  const size_t heads = static_cast<size_t>(bench.subject.model->config().num_attention_heads);
  const auto length = static_cast<Index>(bench.own.length);
  for (const Surrogate surrogate : {Surrogate::random_walk, Surrogate::gaussian_process}) {
    const std::string prefix = name_of(surrogate) + "_";
    add_other(numbers,
              median_readings(bench.draws(surrogate),
                              [&](RandomStream& stream) {
                                return readings_of(bench.drawn(surrogate, stream), prefix, words_of(surrogate));
                              }),
              prefix, beside);
  }
  RandomStream walk(bench.conditions.seed, "identical words: random_walk 0");
  curves.push_back({series_of(Surrogate::random_walk), bench.drawn(Surrogate::random_walk, walk).mean_attention()});
  const PositionAttention sine = bench.with_positions(sinusoid_like(bench.table));
  add_other(numbers, readings_of(sine, "sinusoid_", {"sinusoid as positions", "以正弦表为位置"}), "sinusoid_", beside);
  curves.push_back({series_of_sinusoid(), sine.mean_attention()});
  RandomStream stream(bench.conditions.seed, "identical words: noisy logits");
  for (const auto& [prefix, size, of] :
       {std::tuple{"tiny_noise_", kTinyNoise, Words{"logits of noise 1e-6", "logit 为 1e-6 的噪声"}},
        std::tuple{"unit_noise_", 1.0, Words{"logits of noise 1", "logit 为标准差 1 的噪声"}}}) {
    add_other(numbers, readings_of(noisy_attention(heads, length, size, stream), prefix, of), prefix, beside);
  }
}

void measure_attention(const Bench& bench, Findings& findings) {
  Numbers& numbers = findings.numbers[kNoClaim];
  const auto& conditions = bench.conditions;
  const PositionAttention own = position_attention(changed_model(bench.subject), bench.subject, bench.own);
  conditions.progress(0.3);
  const Draws draws = bench.draws(Surrogate::white_noise);
  const size_t heads = own.attention.size();
  const Neighbours beside{
      .null = {words_of_median(Surrogate::white_noise, draws.count),
               median_readings(draws,
                               [&](RandomStream& stream) {
                                 return readings_of(bench.drawn(Surrogate::white_noise, stream), "", {});
                               })},
      .control = {kOfControl, readings_of(falling_attention(heads, static_cast<Index>(bench.own.length)), "", {})}};
  auto main = numbers_beside(readings_of(own, "", {}), beside.null, beside.control);
  for (Number& number : main) {
    if (number.name == "toeplitz") number.interval = over_words(own, distance_share, conditions);
    if (number.name == "symmetry") number.interval = over_words(own, symmetry_share, conditions);
    if (number.name == "monotonicity") number.interval = over_words(own, monotonicity_of, conditions);
    numbers.add(std::move(number));
  }
  conditions.progress(0.5);
  Repetition bare = bench.beside;
  bare.around = Around::nothing;
  add_other(numbers,
            readings_of(position_attention(changed_model(bench.subject), bench.subject, bare), "bare_",
                        {"without [CLS] and [SEP]", "不加 [CLS] 与 [SEP]"}),
            "bare_", beside);
  RandomStream white(conditions.seed, "identical words: white_noise 0");
  std::vector<Curve> curves{
      {series_of_table(), own.mean_attention()},
      {series_of(Surrogate::white_noise), bench.drawn(Surrogate::white_noise, white).mean_attention()}};
  measure_beside(bench, beside, numbers, curves);
  findings.figures = {matrix_figure(own.mean_attention()), curves_figure(curves)};
}

Findings run_identical_words(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  Numbers& numbers = findings.numbers[kNoClaim];
  const auto rows = static_cast<size_t>(subject.positions.rows());
  const size_t length = std::min(kMostRepeated, rows < 2 ? 0 : rows - 2);
  if (length < kLeastRepeated) {
    findings.remarks.push_back({fmt::format("Nothing was measured: {} positions are too few.", rows),
                                fmt::format("未做测量：只有 {} 个位置，太少。", rows)});
    return findings;
  }
  const Table table = subject.positions.topRows(static_cast<Index>(length + 2));
  if (subject.model) {
    RandomStream stream(conditions.seed, "identical words: words");
    Repetition own{.words = words_to_repeat(subject, conditions.quick ? 20 : 200, stream), .length = length};
    if (own.words.empty()) {
      findings.remarks.push_back({"The vocabulary has no whole words to repeat.", "词表中没有可重复的完整词。"});
    } else {
      Repetition beside = own;
      beside.words.resize(std::min<size_t>(own.words.size(), conditions.quick ? 5 : 20));
      measure_attention({subject, conditions, table, own, beside}, findings);
    }
    if (conditions.quick)
      findings.left_out.push_back({"20 words instead of 200; 2 draws of each null with 5 words instead of 5 with 20",
                                   "20 个词而非 200 个；每种零模型抽 2 次、各 5 个词，而非抽 5 次、各 20 个词"});
  } else {
    findings.remarks.push_back({"A position table alone has no attention: only P·Pᵀ was measured.",
                                "只有位置表，没有注意力：仅测量了 P·Pᵀ。"});
  }
  measure_products(table.middleRows(1, static_cast<Index>(length)), conditions, numbers);
  findings.remarks.push_back(
      {fmt::format(
           "Each word stands {} times between [CLS] and [SEP]; the block of its attention to itself is divided by "
           "its rows' sums. Published, over whole models and texts (Chen et al. 2023, abstract), symmetry and "
           "locality ×100: BERT 87.9 and 16.2, ALBERT 82.0 and 20.3, DeBERTa 85.0 and 17.8, XLNet 72.7 and 17.5. "
           "That symmetry stretches each row's differences to 0…1 first, so that noise of 1e-6 gets nearly as much "
           "as noise of 1. Wang et al. 2021 repeat words too; their table could not be had.",
           length),
       fmt::format(
           "每个词在 [CLS] 与 [SEP] 之间重复 {} 次；取其相互注意的方块，每行除以行和。文献值（Chen 等 "
           "2023，摘要；整个模"
           "型与真实文本）对称性与局部性 ×100：BERT 87.9 与 16.2，ALBERT 82.0 与 20.3，DeBERTa 85.0 与 17.8，XLNet "
           "72.7 与 17.5。该对称性先把每行的差值拉伸到 0…1，因此 1e-6 的噪声与标准差 1 的噪声得分相近。Wang 等 2021 "
           "也用"
           "重复的词，其表格未能取得。",
           length)});
  findings.remarks.push_back(
      {"Toeplitz R² and symmetry leave the diagonal out. Logits are known up to a constant a row, which is left free; "
       "for "
       "their symmetry the columns' means are taken away as well.",
       "Toeplitz R² 与对称性不计对角线。logit 每行可差一个常数，计算时不加约束；其对称性还减去列均值。"});
  conditions.progress(1);
  return findings;
}

Words answer_identical_words(const Findings& findings, const std::map<std::string, Verdict>&) {
  const Numbers& numbers = findings.numbers.at(kNoClaim);
  const auto has = [&](const char* name) {
    return std::ranges::any_of(numbers.all(), [&](const Number& number) { return number.name == name; });
  };
  if (has("toeplitz")) {
    return {
        fmt::format("Where only positions differ, distance explains {:.2f} of the first layer's attention (white "
                    "noise {:.2f}); it is {:.2f} symmetric (noise {:.2f}) and falls with distance nearby with τ = "
                    "{:+.2f} (noise {:+.2f}).",
                    numbers.value("toeplitz"), numbers.null("toeplitz"), numbers.value("symmetry"),
                    numbers.null("symmetry"), numbers.value("monotonicity"), numbers.null("monotonicity")),
        fmt::format(
            "只有位置不同时，第一层注意力有 {:.2f} 由距离解释（白噪声 {:.2f}）；对称性 {:.2f}（噪声 {:.2f}）；近处随"
            "距离下降，τ = {:+.2f}（噪声 {:+.2f}）。",
            numbers.value("toeplitz"), numbers.null("toeplitz"), numbers.value("symmetry"), numbers.null("symmetry"),
            numbers.value("monotonicity"), numbers.null("monotonicity"))};
  }
  if (!has("products_toeplitz")) return findings.remarks.front();
  return {fmt::format("There is no attention to look at; distance explains {:.2f} of P·Pᵀ (white noise {:.2f}).",
                      numbers.value("products_toeplitz"), numbers.null("products_toeplitz")),
          fmt::format("没有注意力可看；P·Pᵀ 有 {:.2f} 由距离解释（白噪声 {:.2f}）。",
                      numbers.value("products_toeplitz"), numbers.null("products_toeplitz"))};
}

}  // namespace

Experiment identical_words_experiment() {
  return {
      .name = "identical_words",
      .effort = 6,
      .title = {"Attention to positions alone", "只看位置的注意力"},
      .question = {"If all words are the same, where does the first layer look?", "词全部相同时，第一层关注哪里？"},
      .definition =
          {"One word of the vocabulary repeated, its first-layer attention to itself averaged over words: a matrix A "
           "that "
           "only positions shape. Toeplitz R²; symmetry ‖A_sym‖²/‖A − Ā‖²; local monotonicity, Kendall's τ of −|i − j| "
           "and "
           "A within 20 positions; what the right gets more than the left; Chen et al.'s locality and symmetry. Also "
           "for "
           "the logits and for P·Pᵀ.",
           "把词表中的一个词重复多次，对词平均其第一层的相互注意：得到仅由位置决定的矩阵 A。计算 Toeplitz R²；对称性 "
           "‖A_sym‖²/‖A − Ā‖²；局部单调性，即 20 个位置内 −|i − j| 与 A 的 Kendall τ；右侧比左侧多得多少；以及 Chen "
           "等的局部性"
           "与对称性。对 logit 与 P·Pᵀ 也计算。"},
      .source = {"Wang et al. 2021; Chen et al. 2023; own", "Wang 等 2021；Chen 等 2023；自定"},
      .null = {"white-noise positions of the same size in the same model", "同一模型换上同样大小的白噪声位置"},
      .control = {"heads whose logits fall with distance, slopes of Press et al. 2022",
                  "logit 随距离下降的头，斜率取自 Press 等 2022"},
      .rules = {},
      .run = run_identical_words,
      .answer = answer_identical_words};
}

}  // namespace summand::lab
