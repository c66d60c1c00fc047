// 0.1, Q8c and 3.4: whose is the variance of each dimension, before and after the first normalisation?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/readings.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/variance_shares/dominance.hpp"
#include "lab/experiments/variance_shares/normalisation_mix.hpp"
#include "lab/experiments/variance_shares/part_rows.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kSomeDimensions = 0.01;  // of all: what "some dimensions" means
constexpr double kFewToMask = 0.1;        // of the tokens' variance
constexpr double kMixMoves = 0.05;        // of a share
constexpr double kFirstOverLast = 1.5;

void measure_dominance(const PartSamples& own, const InputParts& parts, const FirstNorm& norm,
                       const Conditions& conditions, Findings& findings) {
  const auto readings = [&](const InputParts& some) {
    return dominance_readings(samples_like(own, some, norm), some, conditions);
  };
  if (conditions.quick)
    findings.left_out.push_back({"20 bootstrap samples instead of 100, 5 rotations of the positions instead of 20",
                                 "自助样本 20 个而非 100 个，位置旋转 5 次而非 20 次"});
  const size_t rotations = conditions.quick ? 5 : 20;
  const Readings null =
      median_readings({.seed = conditions.seed, .name = "variance shares: rotation", .count = rotations},
                      [&](RandomStream& stream) { return readings(evenly_spread(parts, own.corpus, stream)); });
  const Words of_null{fmt::format("positions under {} rotations, a tenth of the variance", rotations),
                      fmt::format("位置行随机旋转 {} 次，方差占十分之一", rotations)};
  const Words of_control{"every tenth dimension planted as the positions'", "每十个维度构造一个属于位置"};
  auto numbers = numbers_beside(dominance_readings(own, parts, conditions), {of_null, null},
                                {of_control, readings(with_own_dimensions(parts, own.corpus))});
  numbers.front().interval =
      bootstrap(own.corpus_items.size(),
                [&](std::span<const size_t> chosen) {
                  return DimensionShares::dominated(dimension_shares(own.corpus, chosen).position);
                },
                {.seed = conditions.seed,
                 .name = "variance shares: bootstrap",
                 .count = conditions.quick ? 20U : 100U,
                 .threads = threads_of(conditions)});
  for (Number& number : numbers) findings.numbers["0.1"].add(std::move(number));
}

/// The positions' share in the first quarter of the dimensions over that in the last.
double first_over_last(const Vector& share) {
  const Index quarter = std::max<Index>(1, share.size() / 4);
  const double last = share.tail(quarter).mean();
  return last > 0 ? share.head(quarter).mean() / last : 1e3;
}

void measure_first_dimensions(const InputParts& parts, const Conditions& conditions, Findings& findings) {
  const DimensionShares own = uniform_shares(parts);
  InputParts planted = parts;
  const Index even = parts.positions.cols() + parts.positions.cols() % 2;
  planted.positions = centred(sinusoid({static_cast<size_t>(parts.positions.rows()), static_cast<size_t>(even)})
                                  .leftCols(parts.positions.cols()));
  planted.positions *= parts.positions.norm() / planted.positions.norm();
  const double control = first_over_last(uniform_shares(planted).position);
  RandomStream stream(conditions.seed, "variance shares: sinusoid");
  planted.positions = rotated(planted.positions, stream);
  const size_t count = conditions.quick ? 100 : 1000;
  if (conditions.quick)
    findings.left_out.push_back(
        {"100 random orders of the dimensions instead of 1,000", "维度随机排序 100 次而非 1000 次"});
  const auto in_order = [&](const std::string& name, const Vector& values, const auto& of) {
    return drawn({.seed = conditions.seed,
                  .name = "variance shares: " + name,
                  .count = count,
                  .threads = threads_of(conditions)},
                 [&](RandomStream& draw) {
                   Vector shuffled = values;
                   draw.shuffle(std::span(shuffled.data(), static_cast<size_t>(shuffled.size())));
                   return of(shuffled);
                 });
  };
  const auto null = in_order("order", own.position, first_over_last);
  const Words of_null{"dimensions in random order", "维度次序打乱"};
  Numbers& numbers = findings.numbers["3.4"];
  numbers.add(Measured("first_over_last",
                       {"positions' share in the first quarter of dimensions over the last quarter",
                        "前四分之一维度中位置占比与后四分之一之比"},
                       first_over_last(own.position))
                  .null(median(null), of_null, middle_95_percent(null))
                  .control(control, {"a sinusoid of the same energy", "同能量的正弦表"}));
  const Vector turned = uniform_shares(planted).position;
  const auto null_turned = in_order("turned", turned, first_over_last);
  numbers.add(Measured("sinusoid_rotated", {"the same of that sinusoid, turned at random", "同一正弦表随机旋转后"},
                       first_over_last(turned))
                  .null(median(null_turned), of_null, middle_95_percent(null_turned))
                  .control(control, {"that sinusoid, not turned", "未旋转的同一正弦表"}));
  const Vector token = own.token.cwiseProduct(own.variance);
  const Vector position = own.position.cwiseProduct(own.variance);
  const auto with_token = [&](const Vector& values) { return kendall_tau(elements(token), elements(values)); };
  const auto null_tau = in_order("tau", position, with_token);
  const Vector opposite = -token;
  numbers.add(Measured("token_against_position",
                       {"Kendall's τ over dimensions: tokens' variance and positions'",
                        "各维度上词元方差与位置方差的 Kendall τ"},
                       with_token(position))
                  .null(median(null_tau), of_null, middle_95_percent(null_tau))
                  .control(with_token(opposite), {"positions where tokens are not", "位置占用词元不用的维度"}));
}

Figure shares_figure(const DimensionShares& before, const DimensionShares& after) {
  using namespace chart;
  std::vector<Index> order(static_cast<size_t>(before.position.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) { return before.position(a) > before.position(b); });
  std::vector<double> rank;
  std::vector<double> dimension;
  std::vector<double> share;
  std::vector<Words> what;
  std::vector<Series> series;
  const auto add = [&](const Vector& of, const Series& one) {
    series.push_back(one);
    for (size_t i = 0; i < order.size(); ++i) {
      rank.push_back(static_cast<double>(i + 1));
      dimension.push_back(static_cast<double>(order[i]));
      share.push_back(of(order[i]));
      what.push_back(one.words);
    }
  };
  const auto& [token, position, segment] = series_of_parts();
  add(before.token, token);
  add(before.position, position);
  add(before.segment, segment);
  add(after.position, {{"position, normalised", "位置，归一化后"}, {.colour = "@sky", .dash = {8, 3}}});
  Json lines = mark({{"type", "line"}}, of_lines({{"x", whole("rank", {"dimension, ordered", "维度（排序后）"})},
                                                  {"y", number("share", {"share of variance", "方差占比"})}},
                                                 "part", {"part", "部分"}, series));
  lines["encoding"]["tooltip"].push_back(number("dimension", {"dimension", "维度"}, "d"));
  return {.name = "variance-shares",
          .title = {"Whose variance each dimension is", "每个维度的方差来自哪一部分"},
          .caption = {"Over the corpus' tokens, dimensions ordered by the positions' share. Above the dashed line a "
                      "dimension is mostly one part's.",
                      "按语料中的词元计算，维度按位置占比排序。虚线以上，该维度主要属于一个部分。"},
          .specification = layers({std::move(lines), rule("y", 0.5), rule_label("y", 0.5, {"one half", "一半"})}),
          .data = FigureData{{{"rank", rank}, {"dimension", dimension}, {"share", share}, {"part", what}}}};
}

Findings run_variance_shares(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  const InputParts parts = lacking ? InputParts{} : input_parts(subject);
  const CorpusItems corpus = lacking ? CorpusItems{} : corpus_items(subject);
  if (!lacking && corpus.items.size() < 2) lacking = Words{"needs a corpus", "需要语料"};
  if (!lacking && parts.positions.isZero(0)) {
    lacking = Words{"the position rows are all equal: they have no variance to share", "位置行全部相等：没有方差可分"};
  }
  if (lacking) {
    for (const char* claim : {"0.1", "Q8c", "3.4"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  const size_t count = conditions.quick ? 600 : 3000;
  if (conditions.quick)
    findings.left_out.push_back({"600 tokens and combinations instead of 3,000", "词元与组合各 600 个而非 3000 个"});
  RandomStream stream(conditions.seed, "variance shares: items");
  const FirstNorm norm = first_norm(subject);
  const bool fits = corpus.items.size() <= count;
  auto in_corpus = fits ? corpus.items : drawn_items(corpus, count, stream);
  const PartSamples own = samples_of(parts, norm, std::move(in_corpus), uniform_items(subject, count, stream));
  conditions.progress(0.3);
  measure_dominance(own, parts, norm, conditions, findings);
  conditions.progress(0.7);
  measure_normalisation(own, norm, conditions, findings.numbers["Q8c"]);
  measure_first_dimensions(parts, conditions, findings);
  findings.figures.push_back(shares_figure(dimension_shares(own.corpus), dimension_shares(own.corpus_after)));
  findings.remarks.push_back(
      {"Parts are centred: each table less its mean row. A share is Cov(part, x)/Var(x) over tokens and may be "
       "negative "
       "where parts are correlated. After normalisation the common vector varies too, with each token's σ.",
       "各部分已中心化（减去各表的均值行）。占比为词元上的 Cov(部分, "
       "x)/Var(x)，各部分相关时可为负。归一化之后，公共向量也随"
       "各词元的 σ 变化。"});
  conditions.progress(1);
  return findings;
}

Verdict judge_dominance(const Numbers& numbers) {
  const double own = numbers.value("dominated");
  Verdict verdict;
  const bool told_apart =
      numbers.null("dominated") < kSomeDimensions && numbers.control("dominated") >= kSomeDimensions;
  verdict.observation = !told_apart              ? Observation::cannot_be_told
                        : own >= kSomeDimensions ? Observation::holds
                                                 : Observation::fails;
  const bool little = numbers.value("tokens_there") < kFewToMask;
  verdict.inference =
      little || verdict.observation == Observation::fails ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("position has over half of the variance in {:.1f} % of the dimensions ({:.1f} % after "
                  "normalisation), {:.2f} of it in all; {:.3f} of the tokens' variance lies there",
                  100 * own, 100 * numbers.value("dominated_after"), numbers.value("position_share_corpus"),
                  numbers.value("tokens_there")),
      fmt::format(
          "位置在 {:.1f}% 的维度中占方差一半以上（归一化后 {:.1f}%），总体占 {:.2f}；词元方差有 {:.3f} 落在其中",
          100 * own, 100 * numbers.value("dominated_after"), numbers.value("position_share_corpus"),
          numbers.value("tokens_there"))};
  return verdict;
}

Verdict judge_normalisation(const Numbers& numbers) {
  const double moves = numbers.value("mix_moves");
  Verdict verdict;
  const bool told_apart = numbers.null("mix_moves") >= kMixMoves && numbers.control("mix_moves") < kMixMoves / 10;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (moves < kMixMoves / 5) {
    verdict.observation = Observation::holds;
  } else if (moves >= kMixMoves) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = {
      fmt::format("doubling the position rows moves their share by {:.2f} after normalisation, by {:.2f} "
                  "without; σ spreads by {:.3f} before and {:.1g} after: each token's scale is unified, the "
                  "mix is not",
                  moves, numbers.null("mix_moves"), numbers.value("uneven_before"), numbers.value("uneven_after")),
      fmt::format(
          "位置行加倍后，其占比在归一化后变化 {:.2f}，不归一化时变化 {:.2f}；σ 的离散程度由 {:.3f} 变为 {:.1g}："
          "统一的是每个词元的尺度，不是各部分的比例",
          moves, numbers.null("mix_moves"), numbers.value("uneven_before"), numbers.value("uneven_after"))};
  return verdict;
}

Verdict judge_first_dimensions(const Numbers& numbers) {
  const double ratio = numbers.value("first_over_last");
  const double tau = numbers.value("token_against_position");
  Verdict verdict;
  if (numbers.control("first_over_last") < kFirstOverLast ||
      numbers.at("first_over_last").null->interval->high >= numbers.control("first_over_last")) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    const bool above = ratio >= kFirstOverLast && ratio > numbers.at("first_over_last").null->interval->high;
    verdict.observation = above ? Observation::holds : Observation::fails;
  }
  const bool apart = tau < numbers.at("token_against_position").null->interval->low;
  verdict.inference = apart ? Inference::follows : Inference::does_not_follow;
  verdict.reason = {
      fmt::format("the positions' share in the first quarter of the dimensions is {:.2f} times that in the "
                  "last (a sinusoid's: {:.1f}); tokens' and positions' variance have τ = {:+.2f} over dimensions",
                  ratio, numbers.control("first_over_last"), tau),
      fmt::format(
          "前四分之一维度中位置占比是后四分之一的 {:.2f} 倍（正弦表为 {:.1f}）；词元与位置的方差在各维度上 τ = {:+.2f}",
          ratio, numbers.control("first_over_last"), tau)};
  return verdict;
}

Words answer_variance_shares(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("0.1")) return findings.gaps.at("0.1");
  const Numbers& numbers = findings.numbers.at("0.1");
  return {
      fmt::format("Over the corpus, tokens have {:.2f} of the variance, positions {:.2f}, segments {:.3f}. Position "
                  "has more than half in {:.1f} % of the dimensions. Normalisation unifies each token's scale; it "
                  "does not change whose share is how large.",
                  numbers.value("token_share_corpus"), numbers.value("position_share_corpus"),
                  numbers.value("segment_share_corpus"), 100 * numbers.value("dominated")),
      fmt::format(
          "按语料计，词元占方差的 {:.2f}，位置占 {:.2f}，片段占 {:.3f}。位置在 {:.1f}% 的维度中超过一半。归一化统一每个"
          "词元的尺度，并不改变各部分的比例。",
          numbers.value("token_share_corpus"), numbers.value("position_share_corpus"),
          numbers.value("segment_share_corpus"), 100 * numbers.value("dominated"))};
}

}  // namespace

Experiment variance_shares_experiment() {
  return {
      .name = "variance_shares",
      .title = {"Whose variance it is", "方差归谁"},
      .question = {"Does one part dominate some dimensions, and does the first normalisation even things out?",
                   "某一部分会主导一些维度吗？第一次归一化会使之均衡吗？"},
      .definition =
          {"Of the centred parts: Cov(part, x)/Var(x) in every dimension, over all combinations and over the "
           "corpus' tokens, before and after the first normalisation (each part less its mean coordinate, "
           "over the sum's σ, times the weight).",
           "对中心化的各部分：每个维度上的 Cov(部分, x)/Var(x)，分别取全部组合与语料词元，在第一次归一化前后各算一次"
           "（各部分减去自身坐标均值，除以和的 σ，乘以权重）。"},
      .source = {"documents 000, 001 and 003", "文档 000、001 与 003"},
      .null = {"positions turned at random with a tenth of the variance; no normalisation; tokens alone; dimensions in "
               "random order",
               "位置行随机旋转并占十分之一方差；不做归一化；只有词元；维度次序打乱"},
      .control = {"every tenth dimension planted as the positions'; the whole sum doubled, or scaled at random; normal "
                  "parts; a sinusoid",
                  "每十个维度构造一个属于位置；整个和加倍或随机缩放；正态各部分；正弦表"},
      .rules =
          {{.claim = "0.1",
            .observation =
                {"holds if position has more than half of the corpus' variance in at least 1 % of the "
                 "dimensions before normalisation; fails otherwise; if the null reaches 1 % or the "
                 "control does not, it cannot be told",
                 "归一化前按语料计，位置在至少 1% 的维度中占方差一半以上则成立；否则不成立；若零假设达到 1% 或对照"
                 "达不到，则无法判断"},
            .inference =
                {"that the tokens are masked does not follow if hardly any dimension is dominated, or less than "
                 "a tenth of their variance lies in those that are; otherwise not tested",
                 "若几乎没有维度被主导，或词元方差落在其中的不到十分之一，则“词元被掩盖”推不出；否则未检验"},
            .judge = judge_dominance},
           {.claim = "Q8c",
            .observation =
                {"holds if doubling the position rows moves their share after normalisation by less than "
                 ".01; fails if by .05 or more; otherwise, or if the null moves less than .05 or the "
                 "control by .005, it cannot be told",
                 "位置行加倍后，归一化后的占比变化小于 .01 则成立；达到 .05 则不成立；其余情形，或零假设变化不足 "
                 ".05、对照变化达 .005 时，无法判断"},
            .inference = {"that differences between two ways of composing vanish in the normalisation does not "
                          "follow if the mix moves; otherwise not tested",
                          "若比例会变，则“归一化消除两种方式的差别”推不出；否则未检验"},
            .judge = judge_normalisation},
           {.claim = "3.4",
            .observation =
                {"holds if the positions' share in the first quarter of the dimensions is at least 1.5 "
                 "times that in the last and above random orders; fails otherwise; if the sinusoid does "
                 "not reach that, it cannot be told",
                 "前四分之一维度中位置占比至少为后四分之一的 1.5 倍且高于随机次序则成立；否则不成立；若正弦表也达不"
                 "到，则无法判断"},
            .inference = {"that tokens keep to dimensions that positions leave follows if Kendall's τ of their "
                          "variances lies below 95 % of random orders, and does not otherwise",
                          "若两者方差的 Kendall τ 低于 95% 的随机次序，则“词元使用位置不用的维度”推得出，否则推不出"},
            .judge = judge_first_dimensions}},
      .run = run_variance_shares,
      .answer = answer_variance_shares};
}

}  // namespace summand::lab
