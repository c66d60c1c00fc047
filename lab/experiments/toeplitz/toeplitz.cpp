// 4.5: with a diagonal H, is the interaction a function of m − n plus one of m + n, and does a learned table have that?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/found.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/toeplitz/toeplitz_measured.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr size_t kLeastRows = 32;
constexpr double kNothing = 1e-6;  // what rounding leaves of a share
constexpr double kSomething = 0.01;
constexpr double kMostOf = 0.5;
constexpr double kOver = 0.1;

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
  const std::vector<Series> parts{{{"m − n", "m − n"}, {.colour = "@blue"}},
                                  {{"m + n", "m + n"}, {.colour = "@orange"}},
                                  {{"either", "任一"}, {.colour = "@green"}},
                                  {{"neither", "两者之外"}, {.colour = "@faint"}}};
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
  return {
      .name = "toeplitz-shares",
      .title = {"What p(m)ᵀ H p(n) depends on", "p(m)ᵀ H p(n) 依赖于什么"},
      .caption =
          {"Shares of the energy off the diagonal. The first three are the sinusoid in closed form; the "
           "others have H = I, the last two the model's own. A random walk has no rest without knowing any distance.",
           "非对角能量的占比。前三行为正弦编码的封闭形式；其余取 H = I，最后两行取模型自己的 "
           "H。随机游走不知任何距离，也没有余量。"},
      .specification = with_height(
          mark({{"type", "bar"}}, {{"y", listed("of", {"table", "表"})},
                                   {"x", scaled(number("share", {"share", "占比"}, ".3f"), {{"nice", false}})},
                                   {"color", coloured("part", {"depends on", "依赖于"}, parts)}}),
          height_of(tables.size())),
      .data = FigureData{{{"of", of}, {"part", part}, {"share", share}}}};
}

Figure products_figure(const Table& table) {
  const Table around = centred(table);
  const Vector norms = around.rowwise().norm().cwiseMax(1e-30);
  const Table cosines =
      norms.cwiseInverse().asDiagonal() * (around * around.transpose()) * norms.cwiseInverse().asDiagonal();
  MatrixData matrix{.rows = static_cast<size_t>(table.rows()),
                    .columns = static_cast<size_t>(table.rows()),
                    .values = {},
                    .row_label = {"position m", "位置 m"},
                    .column_label = {"position n", "位置 n"},
                    .value_label = {"cosine, centred", "余弦（中心化）"},
                    .low = -1,
                    .high = 1,
                    .scale = MatrixData::Scale::diverging};
  for (const double value : elements(cosines)) matrix.values.push_back(static_cast<float>(value));
  return {.name = "toeplitz-products",
          .title = {"Cosines of all pairs of positions", "所有位置对的余弦"},
          .caption = {"Constant along diagonals: a function of m − n. The mean row is taken away.",
                      "沿对角线不变：m − n 的函数。已减去平均行。"},
          .specification = {},
          .data = std::move(matrix)};
}

Findings run_toeplitz(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const auto left_out = outlying_rows(subject.positions);
  const Table table = without_rows(subject.positions, left_out);
  const auto gap = lacking(table, kLeastRows, 2);
  if (gap || table.cols() < 4) {
    findings.gaps["4.5"] = gap.value_or(Words{"needs at least 4 coordinates", "需要至少 4 个维度"});
    return findings;
  }
  const size_t draws = conditions.quick ? 3 : 7;
  if (conditions.quick)
    findings.left_out.push_back({"3 draws of each null instead of 7", "每种零假设 3 次抽样而非 7 次"});
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
  const Words of_full{"H random off its diagonal too", "H 非对角元素也随机"};
  const Words of_pairs{"entries of each pair equal", "每对元素相等"};
  const auto add = [&](const char* name, Words label, double ToeplitzHankel::*of) {
    numbers.add(Measured(name, std::move(label), closed.diagonal.*of)
                    .null(closed.full.*of, of_full)
                    .control(closed.equal_pairs.*of, of_pairs));
  };
  add("diagonal_toeplitz", {"sinusoid, random diagonal H: m − n alone", "正弦编码，随机对角 H：仅 m − n"},
      &ToeplitzHankel::toeplitz);
  add("diagonal_hankel", {"the same: m + n alone", "同上：仅 m + n"}, &ToeplitzHankel::hankel);
  add("diagonal_rest", {"the same: neither", "同上：两者之外"}, &ToeplitzHankel::rest);
  const ToeplitzHankel& walk = beside[static_cast<size_t>(Surrogate::random_walk)].second;
  const auto add_own = [&](const std::string& name, const Words& label, double ToeplitzHankel::*of) {
    numbers.add(Measured(name, label, own.*of)
                    .null(walk.*of, words_of_median(Surrogate::random_walk, draws))
                    .control(sine.*of, words_of_sinusoid()));
  };
  add_own("own_toeplitz", {"the table, H = I, centred: m − n alone", "此表，H = I，中心化：仅 m − n"},
          &ToeplitzHankel::toeplitz);
  add_own("own_hankel", {"the same: m + n alone", "同上：仅 m + n"}, &ToeplitzHankel::hankel);
  add_own("own_shared", {"the same: either", "同上：任一"}, &ToeplitzHankel::shared);
  add_own("own_rest", {"the same: neither", "同上：两者之外"}, &ToeplitzHankel::rest);
  for (const auto& [surrogate, shares] : beside) {
    if (surrogate == Surrogate::random_walk) continue;
    const Words of = words_of_median(surrogate, draws);
    numbers.add(
        Measured(name_of(surrogate) + "_toeplitz", {"m − n alone: " + of.en, "仅 m − n：" + of.zh}, shares.toeplitz)
            .null(walk.toeplitz, words_of_median(Surrogate::random_walk, draws))
            .control(sine.toeplitz, words_of_sinusoid()));
  }
  findings.remarks.push_back(
      {"Rows left out, for their norms stand out: " + list_of(left_out).en +
           ". A random walk's covariance is Toeplitz plus Hankel exactly, min(m, n) = (m + n)/2 − |m − n|/2: a small "
           "rest is no evidence.",
       "因模长突出而去掉的行：" + list_of(left_out).zh +
           "。随机游走的协方差恰为 Toeplitz 加 Hankel：min(m, n) = (m + n)/2 − |m − "
           "n|/2，余量小不是证据。"});
  const auto measured = measured_shares(subject, table, conditions);
  if (measured) add_measured(*measured, closed.equal_pairs, subject, conditions, findings);
  std::vector<std::pair<Words, ToeplitzHankel>> tables{
      {{"sinusoid, diagonal H", "正弦编码，对角 H"}, closed.diagonal},
      {{"sinusoid, entries of each pair equal", "正弦编码，每对元素相等"}, closed.equal_pairs},
      {{"sinusoid, full H", "正弦编码，满 H"}, closed.full},
      {series_of_table().words, own},
      {words_of_sinusoid(), sine}};
  for (const auto& [surrogate, shares] : beside) tables.emplace_back(words_of(surrogate), shares);
  if (measured) {
    tables.emplace_back(Words{"this table, the model's own H", "此表，模型自己的 H"}, measured->own);
    tables.emplace_back(Words{"random walk, the model's own H", "随机游走，模型自己的 H"}, measured->walk);
  }
  findings.figures = {shares_figure(tables), products_figure(subject.positions)};
  conditions.progress(1);
  return findings;
}

Verdict judge_toeplitz(const Numbers& numbers) {
  const double rest = numbers.value("diagonal_rest");
  const double hankel = numbers.value("diagonal_hankel");
  const double without = numbers.control("diagonal_hankel");
  Verdict verdict;
  if (numbers.null("diagonal_rest") <= kSomething) {
    verdict.observation = Observation::cannot_be_told;
  } else if (std::abs(rest) <= kNothing && hankel >= kSomething && std::abs(without) <= kNothing) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = Observation::fails;
  }
  const double own = numbers.value("own_toeplitz");
  const double beside = std::max(numbers.null("own_toeplitz"), numbers.value("warped_toeplitz"));
  const Number* measured = found(numbers, kMeasuredToeplitz);
  const bool with_identity = own >= kMostOf && own - beside >= kOver;
  const bool with_own =
      measured == nullptr || (measured->value >= kMostOf && measured->value - measured->null->value >= kOver);
  verdict.inference = with_identity && with_own ? Inference::follows : Inference::does_not_follow;
  Words measured_words;
  if (measured != nullptr) {
    measured_words = {
        fmt::format("; with the model's own H {:.2f}, a walk's with the same H {:.2f}", measured->value,
                    measured->null->value),
        fmt::format("；取模型自己的 H 为 {:.2f}，随机游走取同一 H 为 {:.2f}", measured->value, measured->null->value)};
  }
  verdict.reason = {
      fmt::format("random diagonal H: {:.2f} of m − n alone, {:.2f} of m + n alone, rest {:.0e}; equal pairs leave no "
                  "m + n. The table's own products: {:.2f} of m − n alone, a random walk's {:.2f}, at an uneven pace "
                  "{:.2f}{}",
                  numbers.value("diagonal_toeplitz"), hankel, std::abs(rest), own, numbers.null("own_toeplitz"),
                  numbers.value("warped_toeplitz"), measured_words.en),
      fmt::format(
          "随机对角 H：仅 m − n 占 {:.2f}，仅 m + n 占 {:.2f}，余 {:.0e}；成对相等则无 m + n。此表自身的内积：仅 "
          "m − n 占 {:.2f}，随机游走 {:.2f}，不匀速时 {:.2f}{}",
          numbers.value("diagonal_toeplitz"), hankel, std::abs(rest), own, numbers.null("own_toeplitz"),
          numbers.value("warped_toeplitz"), measured_words.zh)};
  return verdict;
}

Words answer_toeplitz(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("4.5")) return findings.gaps.at("4.5");
  const Numbers& numbers = findings.numbers.at("4.5");
  const Number* measured = found(numbers, kMeasuredToeplitz);
  const auto percent = [](double share) { return 100 * share; };
  Words then{" That is with H = I: a table alone has no H of its own.", "此处 H = I：单独一张表没有自己的 H。"};
  if (measured != nullptr) {
    then = {fmt::format(" With the model's own H {:.0f} %, and a walk's {:.0f} %.", percent(measured->value),
                        percent(measured->null->value)),
            fmt::format("取模型自己的 H 则为 {:.0f}%，随机游走为 {:.0f}%。", percent(measured->value),
                        percent(measured->null->value))};
  }
  return {fmt::format("For a sinusoid the algebra holds exactly. This table's own products are {:.0f} % a function of "
                      "m − n alone and {:.0f} % of neither; a random walk's {:.0f} % and {:.0f} %.{}",
                      percent(numbers.value("own_toeplitz")), percent(numbers.value("own_rest")),
                      percent(numbers.null("own_toeplitz")), percent(numbers.null("own_rest")), then.en),
          fmt::format("对正弦编码，代数精确成立。此表自身的内积中，仅 m − n 占 {:.0f}%，两者之外占 "
                      "{:.0f}%；随机游走为 {:.0f}% 与 {:.0f}%。{}",
                      percent(numbers.value("own_toeplitz")), percent(numbers.value("own_rest")),
                      percent(numbers.null("own_toeplitz")), percent(numbers.null("own_rest")), then.zh)};
}

}  // namespace

Experiment toeplitz_experiment() {
  return {
      .name = "toeplitz",
      .title = {"m − n and m + n", "m − n 与 m + n"},
      .question = {"With a diagonal H, is the interaction of two positions one of m − n and of m + n alone?",
                   "H 为对角阵时，两个位置的交互是否只含 m − n 与 m + n？"},
      .definition = {"P·H·Pᵀ off its diagonal as t(|m − n|) + h(m + n) + rest, by least squares, t and h free: what "
                     "only distances, only sums, either, and neither explain. The sinusoid with a random diagonal H, "
                     "with equal entries in each pair, with a full H; then the centred table with H = I, and with the "
                     "model's own H, measured.",
                     "对 P·H·Pᵀ 的非对角部分作最小二乘 t(|m − n|) + h(m + n) + 余项，t 与 h "
                     "任意：仅距离、仅和、任一、两者之外各解释多少。正弦编码取随机对角 H、成对相等、一般 "
                     "H；然后是中心化的表，取 H = I 以及实测的模型自己的 H。"},
      .source = {"document 004; own", "文档 004；自定义"},
      .null = {"an H with random entries off its diagonal; for the table a random walk and its own at an uneven pace",
               "非对角元素随机的 H；对此表则为随机游走与不匀速的同一张表"},
      .control = {"an H with equal entries in each pair; for the table the sinusoid",
                  "成对相等的 H；对此表则为正弦编码"},
      .rules =
          {{.claim = "4.5",
            .observation = {"holds if with a random diagonal H the rest is below 1e-6 and m + n alone has .01 or "
                            "more, and equal pairs bring that below 1e-6; fails otherwise; if a full H leaves no "
                            "rest of .01, it cannot be told",
                            "随机对角 H 下余项低于 1e-6、仅 m + n 至少 .01，且成对相等使其低于 1e-6 "
                            "则成立；否则不成立；若一般 H 的余项不到 .01，则无法判断"},
            .inference = {"that a learned table has the relative position so follows if m − n alone holds half of "
                          "its energy with H = I and .1 more than in a random walk and in the table at an uneven "
                          "pace, and, where there is a model, half with the model's own H and .1 more than a "
                          "random walk has there; otherwise it does not follow",
                          "若取 H = I 时仅 m − n 占其能量的一半，且比随机游走与不匀速的同一张表各多 "
                          ".1；有模型时，取模型自己的 H 也占一半且比随机游走多 .1，则“学到的表如此包含相对位置”可推出；"
                          "否则推不出"},
            .judge = judge_toeplitz}},
      .run = run_toeplitz,
      .answer = answer_toeplitz};
}

}  // namespace summand::lab
