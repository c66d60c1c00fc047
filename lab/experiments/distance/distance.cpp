// E8, E9, E10: can the distance of two positions be read off their rows, and is that relative position?
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/charts.hpp"
#include "lab/experiments/distance/distance_grid.hpp"
#include "lab/experiments/distance/distance_networks.hpp"
#include "lab/experiments/distance/distance_regressions.hpp"
#include "lab/experiments/distance/pair_fits.hpp"
#include "lab/experiments/distance/published_metrics.hpp"
#include "lab/experiments/distance/short_sequences.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr size_t kLeastDistanceRows = 64;

chart::Series series_of(const std::string& of) {
  if (of == "table") return series_of_table();
  if (of == "sinusoid") return series_of_sinusoid();
  const auto surrogate = std::ranges::find(kSurrogates, of, [](Surrogate one) { return name_of(one); });
  return series_of(*surrogate);
}

Figure grid_figure(const Grid& grid) {
  using namespace chart;
  std::vector<Words> of;
  std::vector<Words> method;
  std::vector<Words> split;
  std::vector<double> value;
  std::vector<Series> series{series_of_table(), series_of_sinusoid()};
  for (const auto surrogate : kSurrogates) series.push_back(lab::series_of(surrogate));
  std::set<std::string> shown;
  std::set<std::string> methods;
  for (const auto& [cell, scores] : grid) {
    const Series one = series_of(cell.of);
    shown.insert(one.words.en);
    const bool raw = cell.inputs == Inputs::raw;
    const Words how = words_of(cell.method);
    of.push_back(one.words);
    method.push_back({how.en + (raw ? ", raw rows" : ""), how.zh + (raw ? "，原始行" : "")});
    split.push_back(words_of(cell.held_out));
    value.push_back(std::max(-1.0, scores.r2));
    methods.insert(method.back().en);
  }
  std::erase_if(series, [&](const Series& one) { return !shown.contains(one.words.en); });
  Json beside = name("of", {"table", "表"});
  beside["sort"] = Json::array();
  for (const auto& one : series) beside["sort"].push_back(words(one.words));
  std::vector<Words> splits;
  for (const auto held_out : kDistanceSplits) splits.push_back(words_of(held_out));
  const Json x = scaled(number("r2", {"R²", "R²"}, ".3f"), {{"domain", {-1, 1}}});
  Json y = listed("method", {"method", "方法"});
  y["axis"]["grid"] = true;
  return {
      .name = "distance-regressions",
      .title = {"Distance from two rows, by method and by what is held out", "由两行预测距离：按方法与留出方式"},
      .caption = {"R² of b − a, 1 is exact; below −1 is drawn at −1. With pairs held out a row has been seen in other "
                  "pairs, so that trees and raw rows place white noise as well; the other panels do without.",
                  "b − a 的 R²，1 为精确；低于 −1 的画在 "
                  "−1。只留出位置对时，各行已在别的对中见过，提升树和原始行连白噪声也能排定；"
                  "另两幅没有这一漏洞。"},
      .specification = facets(name("split", {"held out", "留出"}), splits,
                              mark({{"type", "point"}, {"filled", true}, {"size", 50}},
                                   of_points({{"x", x}, {"y", std::move(y)}, {"yOffset", std::move(beside)}}, "of",
                                             {"table", "表"}, series)),
                              {.least = 300, .most = 3, .axis = 38, .height = height_of(methods.size())}),
      .data = FigureData{{{"of", of}, {"method", method}, {"split", split}, {"r2", value}}}};
}

Findings run_distance(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table& whole = subject.positions;
  const Table rows = whole.rows() > 1 ? Table(whole.bottomRows(whole.rows() - 1)) : Table();
  if (const auto gap = lacking(rows, kLeastDistanceRows, 2)) {
    findings.gaps = {{"E8", *gap}, {"E9", *gap}, {"E10", *gap}};
    return findings;
  }
  const PairLimits limits = conditions.quick
                                ? PairLimits{.tree_pairs = 3000, .tree_bins = 64, .network_pairs = 2000, .epochs = 20}
                                : PairLimits{};
  if (conditions.quick) {
    findings.left_out.push_back(
        {"3,000 pairs (64 bins) for trees and 2,000 for networks instead of 20,000 (256) and 10,000; raw trees "
         "and networks with pairs held out alone; one window from 128 on and one split",
         "树用 3,000 对（64 个分箱）、网络用 2,000 对，而非 20,000（256）与 "
         "10,000；原表的树只留出位置对，网络只留出位置；128 "
         "起只取一个窗口、一次划分"});
  }
  const DistanceTables tables(rows, conditions);
  conditions.progress(0.05);
  const Grid grid = fitted(tables, limits, conditions);
  conditions.progress(0.7);

  findings.numbers["E8"] = distance_network_numbers(grid);
  findings.numbers["E9"] = distance_regression_numbers(grid, tables, limits, conditions);
  conditions.progress(0.75);
  add_published_metrics(findings.numbers["E9"], whole, conditions);
  conditions.progress(0.85);
  if (auto short_numbers = short_sequence_numbers(rows, kDistanceComponents, limits, conditions)) {
    findings.numbers["E10"] = std::move(*short_numbers);
  } else {
    findings.gaps["E10"] = {"needs at least 255 positions, half of them from 128 on",
                            "需要至少 255 个位置，其中一半不小于 128"};
  }
  findings.remarks.push_back(
      {fmt::format("Linear and ridge regression use all {} pairs, trees {} and networks {} of them, drawn at random. "
                   "Principal components are those of all rows. Document 002: linear above 9000, trees 1800 and 30.",
                   rows.rows() * rows.rows(), limits.tree_pairs, limits.network_pairs),
       fmt::format("线性与岭回归用全部 {} 对，树用其中随机的 {} 对，网络 {} 对。主成分取自全部行。文档 002：线性 9000 "
                   "以上，树 1800 与 30。",
                   rows.rows() * rows.rows(), limits.tree_pairs, limits.network_pairs)});
  findings.remarks.push_back(
      {"Wang & Chen 2020, mean absolute error of the position and share of errors of the order: BERT 34.14 and 19.72 "
       "%, "
       "RoBERTa 6.06 and 7.23 %, GPT-2 1.03 and 1.56 %, sinusoid 0.00 and 5.08 %. A table about as wide as its rows in "
       "training are many does worst in the first: its fit just interpolates.",
       "Wang & Chen 2020，位置的平均绝对误差与先后的错误率：BERT 34.14 与 19.72%，RoBERTa 6.06 与 7.23%，GPT-2 1.03 与 "
       "1.56%，正弦 0.00 与 5.08%。宽度与训练行数相近的表在前一项上最差：拟合恰好成为插值。"});
  findings.figures = {grid_figure(grid)};
  conditions.progress(1);
  return findings;
}

Words answer_distance(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E9")) return findings.gaps.at("E9");
  const Numbers& numbers = findings.numbers.at("E9");
  const bool converges = verdicts.at("E8").observation == Observation::fails;
  return {fmt::format("From two rows, trees explain {:.1f} % of the distance{}. Yet of a random walk's they explain "
                      "{:.1f} %, and of white noise's, with pairs held out, {:.1f} %: it is absolute position decoded "
                      "twice. Relative information is tested by one rotation per step.",
                      100 * numbers.value("trees_r2_pairs"), converges ? ", and a network converges too" : "",
                      100 * numbers.value("random_walk_trees_r2_pairs"), 100 * numbers.null("trees_r2_pairs")),
          fmt::format("由两行，树解释距离的 {:.1f}%{}。但对随机游走为 {:.1f}%，只留出位置对时对白噪声为 {:.1f}%："
                      "这不过是绝对位置解码两次。相对信息由“每步一个旋转”检验。",
                      100 * numbers.value("trees_r2_pairs"), converges ? "，网络也能收敛" : "",
                      100 * numbers.value("random_walk_trees_r2_pairs"), 100 * numbers.null("trees_r2_pairs"))};
}

}  // namespace

Experiment distance_experiment() {
  return {
      .name = "distance",
      .effort = 75,
      .title = {"Distance from two rows", "由两行预测距离"},
      .question = {"Can b − a be read off the rows of positions a and b, and is that relative information?",
                   "能否从位置 a 与 b 的行读出 b − a？这是相对信息吗？"},
      .definition =
          {"All ordered pairs of positions but 0, 60 % in training; held out are pairs, positions, or the "
           "middle block. Linear, ridge, 100 boosted trees (leaves of 15) and an antisymmetric network, on "
           "18 components or the raw table. Also Wang & Chen's two metrics, which read absolute positions.",
           "除 0 外所有有序位置对，60% 用于训练；留出位置对、位置或中间一段。线性、岭、100 棵提升树（叶 15）与反对称"
           "网络，输入为 18 个主成分或原表。另有 Wang & Chen 的两项指标，它们读的是绝对位置。"},
      .source = {"document 002; Wang & Chen 2020, 2010.04903 (code MiuLab/PE-Study)",
                 "文档 002；Wang & Chen 2020，2010.04903（代码 MiuLab/PE-Study）"},
      .null = {"white noise; for what it proves, random walks and Gaussian processes. Of E8, which says that networks "
               "fail, the sinusoid",
               "白噪声；其证明力用随机游走与高斯过程。E8 说网络学不会，其零假设为正弦编码"},
      .control = {"a Gaussian process; a sinusoid for the published metrics; of E8 white noise, of E10 a random order "
                  "planted from 128 on",
                  "高斯过程；发表的指标用正弦编码；E8 用白噪声，E10 用自 128 起打乱的次序"},
      .rules = {distance_network_rule(), distance_regression_rule(), short_sequence_rule()},
      .run = run_distance,
      .answer = answer_distance};
}

}  // namespace summand::lab
