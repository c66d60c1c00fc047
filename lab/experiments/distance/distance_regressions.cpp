#include "lab/experiments/distance/distance_regressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lab/core/measured.hpp"
#include "lab/nulls/named_tables.hpp"

namespace summand::lab {

namespace {

constexpr double kGoodRegression = 0.9;  // R²
constexpr double kPoorRegression = 0.5;
constexpr double kHalfOfError = 0.5;  // of the mean squared error
constexpr double kLeak = 0.99;        // R² of white noise that only a leak can give
constexpr double kNearlyAll = 0.9;    // of the table's own R²

struct Measure {
  const char* name;
  Words words;
  double Scores::*of;
};

const Measure& as_r2() {
  static const Measure measure{"r2", {"R²", "R²"}, &Scores::r2};
  return measure;
}

struct Fits {
  const Grid& grid;
  const PairLimits& limits;
};

/// The same of white noise and of a Gaussian process; `of` says where they had fewer bins.
Measured with_siblings(Measured number, const Fits& fits, const Cell& cell, double Scores::*of) {
  const auto beside = [&](Surrogate surrogate) {
    Cell other = cell;
    other.of = name_of(surrogate);
    const int bins = limits_of(other, fits.limits).tree_bins;
    Words words = words_of(surrogate);
    if (bins != limits_of(cell, fits.limits).tree_bins) {
      words = {fmt::format("{}, trees on {} bins", words.en, bins), fmt::format("{}，树用 {} 个分箱", words.zh, bins)};
    }
    return std::pair{fits.grid.at(other).*of, words};
  };
  const auto [white, of_white] = beside(Surrogate::white_noise);
  const auto [smooth, of_smooth] = beside(Surrogate::gaussian_process);
  return number.null(white, of_white).control(smooth, of_smooth);
}

/// One fit of the table, beside the same of white noise and of a Gaussian process.
Measured number_of(const Fits& fits, const Cell& cell, const Measure& measure) {
  const Words method = words_of(cell.method);
  const Words split = words_of(cell.held_out);
  const bool raw = cell.inputs == Inputs::raw;
  return with_siblings(
      Measured(
          fmt::format("{}{}_{}_{}", raw ? "raw_" : "", name_of(cell.method), measure.name, name_of(cell.held_out)),
          {fmt::format("{}: {}, {}, {}", measure.words.en, method.en, split.en, raw ? "raw table" : "18 components"),
           fmt::format("{}：{}，{}，{}", measure.words.zh, method.zh, split.zh, raw ? "原表" : "18 个主成分")},
          fits.grid.at(cell).*measure.of),
      fits, cell, measure.of);
}

void add_fits(Numbers& numbers, const Fits& fits, const Cell& headline) {
  const Measure as_mse{"mse", {"mean squared error", "均方误差"}, &Scores::mse};
  const Measure as_mae{"mae", {"mean absolute error", "平均绝对误差"}, &Scores::mae};
  for (const auto& [cell, scores] : fits.grid) {
    if (cell.of != "table" || cell.method == PairMethod::unscaled_network) continue;
    if (cell != headline) numbers.add(number_of(fits, cell, as_r2()));
    if (cell.held_out != HeldOut::pairs && cell.method != PairMethod::trees) continue;
    numbers.add(number_of(fits, cell, as_mse));
    if (cell.method == PairMethod::trees) numbers.add(number_of(fits, cell, as_mae));
  }
}

/// What smooth tables reach that know nothing of language, beside the same as the table's own.
void add_smooth_tables(Numbers& numbers, const Fits& fits) {
  const auto add = [&](const std::string& name, const Words& table, PairMethod method, HeldOut held_out) {
    const Cell cell{name, Inputs::components, method, held_out};
    numbers.add(
        with_siblings(Measured(fmt::format("{}_{}_r2_{}", name, name_of(method), name_of(held_out)),
                               {fmt::format("R² of a {}: {}, {}", table.en, words_of(method).en, words_of(held_out).en),
                                fmt::format("{}的 R²：{}，{}", table.zh, words_of(method).zh, words_of(held_out).zh)},
                               fits.grid.at(cell).r2),
                      fits, cell, &Scores::r2));
  };
  for (const auto method : {PairMethod::linear, PairMethod::trees}) {
    for (const auto held_out : kDistanceSplits) {
      add(name_of(Surrogate::random_walk), words_of(Surrogate::random_walk), method, held_out);
      add("sinusoid", words_of_sinusoid(), method, held_out);
    }
  }
}

/// Of b − a over all ordered pairs of n positions: twice the variance of a position.
double variance_of_distances(Eigen::Index positions) {
  const auto n = static_cast<double>(positions);
  return (n * n - 1) / 6;
}

/// Which parts of document 002's sentence a failing table contradicts.
Words failing_parts(double trees, double of_linear, double of_raw) {
  Words parts;
  const auto add = [&](bool fails, const Words& part) {
    if (!fails) return;
    parts.en += (parts.en.empty() ? "" : ", ") + part.en;
    parts.zh += (parts.zh.empty() ? "" : "，") + part.zh;
  };
  add(trees < kPoorRegression, {"trees explain less than half", "树的解释不足一半"});
  add(of_linear >= 1, {"linear regression does no worse than trees", "线性回归不比树差"});
  add(of_raw <= 1, {"the raw table does no worse than 18 components", "原表不比 18 个主成分差"});
  return {"what fails: " + parts.en + "; ", "不成立之处：" + parts.zh + "；"};
}

Verdict judge_regressions(const Numbers& numbers) {
  const double trees = numbers.value("trees_r2_pairs");
  const double ratio = numbers.value("trees_mse_pairs") / std::max(1e-12, numbers.value("linear_mse_pairs"));
  const double raw = numbers.value("raw_trees_mse_pairs") / std::max(1e-12, numbers.value("trees_mse_pairs"));
  Verdict verdict;
  if (numbers.null("trees_r2_pairs") >= kGoodRegression || numbers.control("trees_r2_pairs") < kGoodRegression) {
    verdict.observation = Observation::cannot_be_told;
  } else if (trees >= kGoodRegression && ratio <= kHalfOfError && raw > 1) {
    verdict.observation = Observation::holds;
  } else if (trees < kPoorRegression || ratio >= 1 || raw <= 1) {
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
  const Words failing = verdict.observation == Observation::fails ? failing_parts(trees, ratio, raw) : Words{};
  verdict.reason = {
      failing.en +
          fmt::format(
              "with pairs held out R² is {:.2f} linearly, {:.3f} by trees, {:.3f} by trees on the raw table; a "
              "random walk reaches {:.3f} by trees, white noise {:.2f} linearly from all coordinates; two absolute "
              "positions subtracted {:.3f} where pairs of new positions give {:.3f}",
              numbers.value("linear_r2_pairs"), trees, numbers.value("raw_trees_r2_pairs"),
              numbers.value("random_walk_trees_r2_pairs"), leak, numbers.value("absolute_twice_r2_positions"),
              numbers.value("trees_r2_positions")),
      failing.zh +
          fmt::format("留出位置对时线性的 R² 为 {:.2f}，树 {:.3f}，原表的树 {:.3f}；随机游走用树达 "
                      "{:.3f}，白噪声用全部坐标线性达 {:.2f}；两个绝对位置相减为 {:.3f}，新位置的配对为 {:.3f}",
                      numbers.value("linear_r2_pairs"), trees, numbers.value("raw_trees_r2_pairs"),
                      numbers.value("random_walk_trees_r2_pairs"), leak, numbers.value("absolute_twice_r2_positions"),
                      numbers.value("trees_r2_positions"))};
  return verdict;
}

}  // namespace

Numbers distance_regression_numbers(const Grid& grid, const DistanceTables& tables, const PairLimits& limits,
                                    const Conditions& conditions) {
  Numbers numbers;
  const Cell headline{"table", Inputs::components, PairMethod::trees, HeldOut::pairs};
  const Fits fits{grid, limits};
  numbers.add(number_of(fits, headline, as_r2()));
  const double variance = grid.at(headline).variance;
  const Eigen::Index positions = tables.at("table", Inputs::raw).rows();
  numbers.add(Measured("label_variance",
                       {"variance of the distances: the error of their mean", "距离的方差：即取平均时的误差"}, variance)
                  .null(variance, {"distances dealt at random: the same by construction", "距离随机分配：必然相同"})
                  .control(variance_of_distances(positions),
                           {fmt::format("(n² − 1) / 6 for n = {} positions, all pairs", positions),
                            fmt::format("{} 个位置全部配对的 (n² − 1) / 6", positions)}));
  add_fits(numbers, fits, headline);
  add_smooth_tables(numbers, fits);
  const auto twice = [&](const std::string& of) {
    return score_absolute_twice(
               tables.at(of, Inputs::components),
               {.method = PairMethod::trees, .held_out = HeldOut::positions, .limits = limits, .seed = conditions.seed})
        .r2;
  };
  numbers.add(Measured("absolute_twice_r2_positions",
                       {"R² of two absolute positions subtracted: trees, positions held out",
                        "两个绝对位置相减的 R²：树，留出位置"},
                       twice("table"))
                  .null(twice(name_of(Surrogate::white_noise)), words_of(Surrogate::white_noise))
                  .control(twice(name_of(Surrogate::gaussian_process)), words_of(Surrogate::gaussian_process)));
  return numbers;
}

Rule distance_regression_rule() {
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

}  // namespace summand::lab
