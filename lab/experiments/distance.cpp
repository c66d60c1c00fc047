// E8, E9, E10: can the distance of two positions be read off their rows, and is that relative position?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/charts.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/measured.hpp"
#include "lab/experiments/named_tables.hpp"
#include "lab/experiments/pair_fits.hpp"
#include "lab/experiments/position_metrics.hpp"
#include "lab/experiments/short_sequences.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace {

constexpr size_t kComponents = 18;  // what document 002 counts
constexpr size_t kLeastRows = 64;
constexpr double kGood = 0.9;  // R²
constexpr double kPoor = 0.5;
constexpr double kHalf = 0.5;       // of the mean squared error
constexpr double kLeak = 0.99;      // R² of white noise that only a leak can give
constexpr double kNearlyAll = 0.9;  // of the table's own R²
/// E8's: with pairs held out a network remembers the positions of white noise (R² .75), which then is no control.
constexpr HeldOut kNetworkSplit = HeldOut::positions;
constexpr double kScaleAlone = 0.1;  // R² that the unit of the targets alone costs

/// What is fitted: 18 components, or the table as it is.
enum class Inputs { components, raw };

struct Cell {
  std::string of;  ///< "table", or a name of kSurrogates, or "sinusoid"
  Inputs inputs = Inputs::components;
  PairMethod method = PairMethod::linear;
  HeldOut held_out = HeldOut::pairs;

  auto operator<=>(const Cell&) const = default;
};

using Grid = std::map<Cell, Scores>;

const std::array kSplits{HeldOut::pairs, HeldOut::positions, HeldOut::block};

chart::Series series_of(const std::string& of) {
  if (of == "table") return series_of_table();
  if (of == "sinusoid") return series_of_sinusoid();
  const auto surrogate = std::ranges::find(kSurrogates, of, [](Surrogate one) { return name_of(one); });
  return series_of(*surrogate);
}

/// Everything that is fitted, the longest first, so that no thread waits at the end.
std::vector<Cell> cells(bool quick) {
  std::vector<Cell> list;
  for (const auto held_out : kSplits) {
    if (quick && held_out != HeldOut::pairs) continue;
    list.push_back({"table", Inputs::raw, PairMethod::trees, held_out});
  }
  if (!quick) list.push_back({"white_noise", Inputs::raw, PairMethod::trees, HeldOut::pairs});
  for (const auto held_out : kSplits) {
    if (quick && held_out != kNetworkSplit) continue;
    list.push_back({"table", Inputs::components, PairMethod::network, held_out});
  }
  list.push_back({"table", Inputs::components, PairMethod::unscaled_network, kNetworkSplit});
  list.push_back({"white_noise", Inputs::components, PairMethod::network, kNetworkSplit});
  list.push_back({"sinusoid", Inputs::components, PairMethod::network, kNetworkSplit});
  if (!quick) {
    list.push_back({"white_noise", Inputs::components, PairMethod::network, HeldOut::pairs});
    list.push_back({"gaussian_process", Inputs::components, PairMethod::network, kNetworkSplit});
  }
  for (const char* of : {"table", "white_noise", "random_walk", "gaussian_process", "sinusoid"}) {
    for (const auto held_out : kSplits) {
      list.push_back({of, Inputs::components, PairMethod::trees, held_out});
      for (const auto method : {PairMethod::linear, PairMethod::ridge}) {
        list.push_back({of, Inputs::components, method, held_out});
        const bool leak = method == PairMethod::linear && held_out == HeldOut::pairs;
        if (!quick || (leak && (std::string(of) == "table" || std::string(of) == "white_noise"))) {
          list.push_back({of, Inputs::raw, method, held_out});
        }
      }
    }
  }
  return list;
}

struct Tables {
  std::map<std::string, Table> raw;
  std::map<std::string, Table> components;

  void add(const std::string& of, Table table) {
    components[of] = principal_components(table, kComponents).scores;
    raw[of] = std::move(table);
  }
  [[nodiscard]] const Table& at(const Cell& cell) const {
    return (cell.inputs == Inputs::raw ? raw : components).at(cell.of);
  }
};

Tables tables_of(const Table& rows, const Conditions& conditions) {
  Tables tables;
  tables.add("table", rows);
  for (const auto surrogate : {Surrogate::white_noise, Surrogate::random_walk, Surrogate::gaussian_process}) {
    RandomStream stream(conditions.seed, "distance: " + name_of(surrogate));
    tables.add(name_of(surrogate), drawn_surrogate(surrogate, rows, stream));
  }
  // Row 0 is left out of it too.
  tables.add("sinusoid", sinusoid_like(Table::Zero(rows.rows() + 1, rows.cols())).bottomRows(rows.rows()));
  return tables;
}

Grid fitted(const Tables& tables, const PairLimits& limits, const Conditions& conditions) {
  const auto list = cells(conditions.quick);
  std::vector<Scores> all(list.size());
  run_tasks(conditions, list.size(), [&](size_t i) {
    const Cell& cell = list[i];
    all[i] = score_pairs(tables.at(cell),
                         {.method = cell.method, .held_out = cell.held_out, .limits = limits, .seed = conditions.seed});
  });
  Grid grid;
  for (size_t i = 0; i < list.size(); ++i) grid.emplace(list[i], all[i]);
  return grid;
}

double r2(const Scores& scores) {
  return scores.r2;
}
double mse(const Scores& scores) {
  return scores.mse;
}
double mae(const Scores& scores) {
  return scores.mae;
}

/// Adds a number of one fit with the same of white noise and of another table, as far as they were fitted.
void add_fit(Numbers& numbers, const Grid& grid, const Cell& cell, double (*of)(const Scores&),
             const std::pair<std::string, Words>& measure) {
  const Words how{words_of(cell.method).en + ", " + words_of(cell.held_out).en,
                  words_of(cell.method).zh + "，" + words_of(cell.held_out).zh};
  const bool raw = cell.inputs == Inputs::raw;
  Measured number(
      fmt::format("{}{}_{}_{}", raw ? "raw_" : "", name_of(cell.method), measure.first, name_of(cell.held_out)),
      {measure.second.en + ": " + how.en + (raw ? ", raw table" : ", 18 components"),
       measure.second.zh + "：" + how.zh + (raw ? "，原表" : "，18 个主成分")},
      of(grid.at(cell)));
  const auto beside = [&](const char* name) {
    Cell other = cell;
    other.of = name;
    return grid.find(other);
  };
  if (const auto white = beside("white_noise"); white != grid.end()) {
    number.null(of(white->second), words_of(Surrogate::white_noise));
  }
  if (const auto smooth = beside("gaussian_process"); smooth != grid.end()) {
    number.control(of(smooth->second), words_of(Surrogate::gaussian_process));
  }
  numbers.add(number);
}

void add_regressions(Numbers& numbers, const Grid& grid) {
  const std::pair<std::string, Words> as_r2{"r2", {"R²", "R²"}};
  const std::pair<std::string, Words> as_mse{"mse", {"mean squared error", "均方误差"}};
  const std::pair<std::string, Words> as_mae{"mae", {"mean absolute error", "平均绝对误差"}};
  for (const auto& [cell, scores] : grid) {
    if (cell.of != "table" || cell.method == PairMethod::unscaled_network) continue;
    add_fit(numbers, grid, cell, r2, as_r2);
    if (cell.held_out != HeldOut::pairs && cell.method != PairMethod::trees) continue;
    add_fit(numbers, grid, cell, mse, as_mse);
    if (cell.method == PairMethod::trees) add_fit(numbers, grid, cell, mae, as_mae);
  }
  for (const char* of : {"random_walk", "sinusoid"}) {
    for (const auto method : {PairMethod::linear, PairMethod::trees}) {
      for (const auto held_out : kSplits) {
        const auto& scores = grid.at({of, Inputs::components, method, held_out});
        numbers.add(Measured(
            fmt::format("{}_{}_r2_{}", of, name_of(method), name_of(held_out)),
            {fmt::format("R² of a {}: {}, {}", series_of(of).words.en, words_of(method).en, words_of(held_out).en),
             fmt::format("{} 的 R²：{}，{}", series_of(of).words.zh, words_of(method).zh, words_of(held_out).zh)},
            scores.r2));
      }
    }
  }
}

/// What Wang & Chen 2020 report, and the same with blocks held out.
void add_published_metrics(Numbers& numbers, const Subject& subject, const Conditions& conditions) {
  const size_t draws = conditions.quick ? 2 : 10;
  const size_t beside = conditions.quick ? 1 : 3;
  struct Middle {
    double value = 0;
    Interval range;
  };
  const auto drawn_of = [&](const Table& table, const std::string& name, size_t count, const auto& of) {
    std::vector<double> values(count);
    run_tasks(conditions, count, [&](size_t i) {
      RandomStream stream(conditions.seed, fmt::format("distance: {} {}", name, i));
      values[i] = of(table, stream);
    });
    return Middle{mean(values), middle_95_percent(values)};
  };
  const auto error = [](const Table& table, RandomStream& stream) {
    return position_error(table, Folds::random, stream);
  };
  const auto block_error = [](const Table& table, RandomStream& stream) {
    return position_error(table, Folds::blocks, stream);
  };
  const Table& own = subject.positions;
  RandomStream white_stream(conditions.seed, "distance: metrics white noise");
  RandomStream walk_stream(conditions.seed, "distance: metrics random walk");
  const Table white = drawn_surrogate(Surrogate::white_noise, own, white_stream);
  const Table walk = drawn_surrogate(Surrogate::random_walk, own, walk_stream);
  const Table sine = sinusoid_like(own);
  const auto add = [&](const std::string& name, const Words& label, size_t count, const auto& of) {
    const Middle middle = drawn_of(own, name, count, of);
    const size_t others = std::min(beside, count);
    Measured number(name, label, middle.value);
    if (count > 2) number.interval(middle.range);
    numbers.add(number.null(drawn_of(white, name, others, of).value, words_of(Surrogate::white_noise))
                    .control(drawn_of(sine, name, others, of).value, words_of_sinusoid()));
    numbers.add(Measured("random_walk_" + name, {label.en + ": a random walk", label.zh + "：随机游走"},
                         drawn_of(walk, name, others, of).value));
  };
  add("position_error", {"position by linear regression, mean absolute error", "线性回归位置的平均绝对误差"}, beside,
      error);
  add("position_error_blocks", {"the same with blocks of a fifth held out", "同上，留出五分之一的连续段"}, 1,
      block_error);
  add("order_error", {"order of two positions, share of errors", "两个位置的先后，错误率"}, draws, order_error);
}

Numbers network_numbers(const Grid& grid) {
  Numbers numbers;
  const auto of = [&](const char* name, PairMethod method) -> const Scores& {
    return grid.at({name, Inputs::components, method, kNetworkSplit});
  };
  const auto& white = of("white_noise", PairMethod::network);
  const auto& sine = of("sinusoid", PairMethod::network);
  const auto add = [&](const char* name, Words label, PairMethod method, double (*measure)(const Scores&)) {
    numbers.add(Measured(name, std::move(label), measure(of("table", method)))
                    .null(measure(sine), words_of_sinusoid())
                    .control(measure(white), words_of(Surrogate::white_noise)));
  };
  add("network_r2", {"R² of an antisymmetric network, positions held out", "反对称网络的 R²，留出位置"},
      PairMethod::network, r2);
  add("network_mse", {"its mean squared error", "其均方误差"}, PairMethod::network, mse);
  add("unscaled_network_r2", {"R² of the same network, targets not normalised", "同一网络的 R²，目标未归一化"},
      PairMethod::unscaled_network, r2);
  numbers.add(Measured("linear_r2", {"R² of linear regression, positions held out", "线性回归的 R²，留出位置"},
                       of("table", PairMethod::linear).r2)
                  .null(of("sinusoid", PairMethod::linear).r2, words_of_sinusoid())
                  .control(of("white_noise", PairMethod::linear).r2, words_of(Surrogate::white_noise)));
  return numbers;
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
  for (const auto held_out : kSplits) splits.push_back(words_of(held_out));
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

Findings run(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table& whole = subject.positions;
  const Table rows = whole.rows() > 1 ? Table(whole.bottomRows(whole.rows() - 1)) : Table();
  if (const auto gap = lacking(rows, kLeastRows, 2)) {
    findings.gaps = {{"E8", *gap}, {"E9", *gap}, {"E10", *gap}};
    return findings;
  }
  const PairLimits limits =
      conditions.quick ? PairLimits{.tree_pairs = 3000, .network_pairs = 2000, .epochs = 20} : PairLimits{};
  if (conditions.quick) {
    findings.left_out.push_back(
        {"3,000 pairs for trees and 2,000 for networks instead of 20,000 and 10,000; raw trees "
         "and networks with pairs held out alone; one window from 128 on and one split",
         "树用 3,000 对、网络用 2,000 对，而非 20,000 与 10,000；原表的树只留出位置对，网络只留出位置；128 "
         "起只取一个窗口、一次划分"});
  }
  const Tables tables = tables_of(rows, conditions);
  conditions.progress(0.05);
  const Grid grid = fitted(tables, limits, conditions);
  conditions.progress(0.7);

  findings.numbers["E8"] = network_numbers(grid);
  Numbers& numbers = findings.numbers["E9"];
  const Scores& trees = grid.at({"table", Inputs::components, PairMethod::trees, HeldOut::pairs});
  numbers.add(Measured("label_variance",
                       {"variance of the distances: the error of their mean", "距离的方差：即取平均时的误差"},
                       trees.variance));
  add_regressions(numbers, grid);
  const auto twice = [&](const char* of) {
    return score_absolute_twice(
               tables.components.at(of),
               {.method = PairMethod::trees, .held_out = HeldOut::positions, .limits = limits, .seed = conditions.seed})
        .r2;
  };
  numbers.add(Measured("absolute_twice_r2_positions",
                       {"R² of two absolute positions subtracted: trees, positions held out",
                        "两个绝对位置相减的 R²：树，留出位置"},
                       twice("table"))
                  .null(twice("white_noise"), words_of(Surrogate::white_noise))
                  .control(twice("gaussian_process"), words_of(Surrogate::gaussian_process)));
  conditions.progress(0.75);
  add_published_metrics(numbers, subject, conditions);
  conditions.progress(0.85);
  if (auto short_numbers = short_sequence_numbers(rows, kComponents, limits, conditions)) {
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

Verdict judge_network(const Numbers& numbers) {
  const double own = numbers.value("network_r2");
  const double unscaled = numbers.value("unscaled_network_r2");
  Verdict verdict;
  if (numbers.null("network_r2") < kGood || numbers.control("network_r2") >= kPoor) {
    verdict.observation = Observation::cannot_be_told;
  } else if (own < kPoor) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = own >= kGood ? Observation::fails : Observation::cannot_be_told;
  }
  const bool scale_explains = own >= kGood && own - unscaled >= kScaleAlone;
  verdict.inference = scale_explains ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format(
          "an antisymmetric network with normalised targets reaches R² {:.3f} on new positions; the same network "
          "with targets in positions {:.3f}",
          own, unscaled),
      fmt::format("目标归一化的反对称网络在新位置上 R² 为 {:.3f}；目标未归一化的同一网络为 {:.3f}", own, unscaled)};
  return verdict;
}

Verdict judge_regressions(const Numbers& numbers) {
  const double trees = numbers.value("trees_r2_pairs");
  const double ratio = numbers.value("trees_mse_pairs") / std::max(1e-12, numbers.value("linear_mse_pairs"));
  const double raw = numbers.value("raw_trees_mse_pairs") / std::max(1e-12, numbers.value("trees_mse_pairs"));
  Verdict verdict;
  if (numbers.null("trees_r2_pairs") >= kGood || numbers.control("trees_r2_pairs") < kGood) {
    verdict.observation = Observation::cannot_be_told;
  } else if (trees >= kGood && ratio <= kHalf && raw > 1) {
    verdict.observation = Observation::holds;
  } else if (trees < kPoor || ratio >= 1 || raw <= 1) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const double smooth = std::max(numbers.control("trees_r2_pairs"), numbers.value("random_walk_trees_r2_pairs"));
  const double leak = numbers.null("raw_linear_r2_pairs");
  const bool nothing_relative =
      smooth >= kNearlyAll * trees || leak >= kLeak ||
      numbers.value("absolute_twice_r2_positions") >= kNearlyAll * numbers.value("trees_r2_positions");
  verdict.inference = nothing_relative ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("with pairs held out R² is {:.2f} linearly, {:.3f} by trees, {:.3f} by trees on the raw table; a "
                  "random walk reaches {:.3f} by trees, white noise {:.2f} linearly from all coordinates; two absolute "
                  "positions subtracted {:.3f} where pairs of new positions give {:.3f}",
                  numbers.value("linear_r2_pairs"), trees, numbers.value("raw_trees_r2_pairs"),
                  numbers.value("random_walk_trees_r2_pairs"), leak, numbers.value("absolute_twice_r2_positions"),
                  numbers.value("trees_r2_positions")),
      fmt::format("留出位置对时线性的 R² 为 {:.2f}，树 {:.3f}，原表的树 {:.3f}；随机游走用树达 "
                  "{:.3f}，白噪声用全部坐标线性达 {:.2f}；两个绝对位置相减为 {:.3f}，新位置的配对为 {:.3f}",
                  numbers.value("linear_r2_pairs"), trees, numbers.value("raw_trees_r2_pairs"),
                  numbers.value("random_walk_trees_r2_pairs"), leak, numbers.value("absolute_twice_r2_positions"),
                  numbers.value("trees_r2_positions"))};
  return verdict;
}

Words answer(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E9")) return findings.gaps.at("E9");
  const Numbers& numbers = findings.numbers.at("E9");
  const bool converges = verdicts.at("E8").observation == Observation::fails;
  return {fmt::format("From two rows, trees explain {:.0f} % of the distance{}. Yet of a random walk's they explain "
                      "{:.0f} %, and of white noise's, with pairs held out, {:.0f} %: it is absolute position decoded "
                      "twice. Relative information is tested by one rotation per step.",
                      100 * numbers.value("trees_r2_pairs"), converges ? ", and a network converges too" : "",
                      100 * numbers.value("random_walk_trees_r2_pairs"), 100 * numbers.null("trees_r2_pairs")),
          fmt::format("由两行，树解释距离的 {:.0f}%{}。但对随机游走为 {:.0f}%，只留出位置对时对白噪声为 {:.0f}%："
                      "这不过是绝对位置解码两次。相对信息由“每步一个旋转”检验。",
                      100 * numbers.value("trees_r2_pairs"), converges ? "，网络也能收敛" : "",
                      100 * numbers.value("random_walk_trees_r2_pairs"), 100 * numbers.null("trees_r2_pairs"))};
}

Rule network_rule() {
  return {.claim = "E8",
          .observation = {"holds (networks do not learn it) if an antisymmetric network with normalised targets stays "
                          "below R² .5 on new positions; fails if it reaches .9; otherwise, or if it misses .9 on the "
                          "sinusoid or reaches .5 on white noise, it cannot be told",
                          "目标归一化的反对称网络在新位置上 R² 低于 .5 则成立（网络学不会）；达到 .9 "
                          "则不成立；其余情形，或在正弦编码上不足 .9、在白噪声上达到 .5 时，无法判断"},
          .inference = {"that the networks' design was at fault does not follow if this network reaches .9 and the "
                        "same network loses .1 when its targets are left unnormalised; otherwise not tested",
                        "若该网络达到 .9，而同一网络仅因目标未归一化就降低 .1，则“网络没设计好”推不出；否则未检验"},
          .judge = judge_network};
}

Rule regression_rule() {
  return {
      .claim = "E9",
      .observation = {"with pairs held out: holds if trees on 18 components reach R² .9, at most half of linear "
                      "regression's squared error, and less error than on the raw table; fails if they miss .5, or "
                      "are no better than either; otherwise, or if white noise reaches .9 or a Gaussian process "
                      "misses it, it cannot be told",
                      "留出位置对时，18 个主成分上的树 R² 达 .9、平方误差不超过线性回归的一半且低于原表则成立；不足 .5 "
                      "或不优于两者之一则不成立；其余情形，或白噪声达到 .9、高斯过程不足 .9 时，无法判断"},
      .inference = {"that relative information was learned does not follow if a random walk or a Gaussian process "
                    "reaches nine tenths of it, or white noise .99 linearly from the raw table, or two absolute "
                    "positions subtracted nine tenths; otherwise not tested here: see one rotation per step",
                    "若随机游走或高斯过程达到其十分之九，或白噪声原表线性达 .99，或两个绝对位置相减达十分之九，则“学到"
                    "相对信息”推不出；否则此处未检验：见“每一步一个旋转”"},
      .judge = judge_regressions};
}

}  // namespace

Experiment distance_experiment() {
  return {
      .name = "distance",
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
      .rules = {network_rule(), regression_rule(), short_sequence_rule()},
      .run = run,
      .answer = answer};
}

}  // namespace summand::lab
