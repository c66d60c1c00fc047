// 0.1, Q8c and 3.4: whose is the variance of each dimension, before and after the first normalisation?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/charts.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/input_parts.hpp"
#include "lab/experiments/measured.hpp"
#include "lab/experiments/part_rows.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kSomeDimensions = 0.01;  // of all: what "some dimensions" means
constexpr double kFewToMask = 0.1;        // of the tokens' variance
constexpr double kNullShare = 0.1;        // of the null's positions in every dimension
constexpr double kPlantedDimensions = 0.1;
constexpr double kPlantedVariance = 4;  // times the tokens'
constexpr double kMixMoves = 0.05;      // of a share
constexpr double kFirstOverLast = 1.5;

/// Positions' rows exchanged, the rest as it is.
PartRows with_positions(PartRows rows, Table positions) {
  rows.position = std::move(positions);
  return rows;
}

double spread(const Table& rows) {
  return (rows.rowwise() - rows.colwise().mean()).squaredNorm();
}

/// Turned at random, a tenth of the variance: no dimension is theirs.
PartRows evenly_spread(const PartRows& rows, RandomStream& stream) {
  const auto hidden = static_cast<size_t>(rows.token.cols());
  const double scale = std::sqrt(kNullShare / (1 - kNullShare) * spread(rows.token) / spread(rows.position));
  return with_positions(rows, scale * rows.position * random_frame(hidden, hidden, stream));
}

/// Every tenth dimension theirs.
PartRows with_own_dimensions(const PartRows& rows) {
  PartRows planted = rows;
  const auto step = static_cast<Index>(1 / kPlantedDimensions);
  for (Index d = 0; d < rows.token.cols(); ++d) {
    const double token = spread(rows.token.col(d));
    const double position = spread(rows.position.col(d));
    if (position > 0) planted.position.col(d) *= std::sqrt(token / position * (d % step == 0 ? kPlantedVariance : 0.1));
  }
  return planted;
}

PartRows with_shuffled_dimensions(const PartRows& rows, RandomStream& stream) {
  std::vector<Index> order(static_cast<size_t>(rows.token.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  stream.shuffle(std::span(order));
  Table shuffled = rows.position;
  for (size_t d = 0; d < order.size(); ++d) shuffled.col(static_cast<Index>(d)) = rows.position.col(order[d]);
  return with_positions(rows, std::move(shuffled));
}

double dominated_of(const PartRows& rows) {
  return DimensionShares::dominated(dimension_shares(rows).position);
}

/// How evenly positions use the dimensions: 1 if all alike, 1/hidden if one.
double participation(const Table& rows) {
  const Vector variances = (rows.rowwise() - rows.colwise().mean()).cwiseAbs2().colwise().mean().transpose();
  return participation_ratio(variances / variances.sum()) / static_cast<double>(variances.size());
}

/// Cov(part, x)/Var(x) over the coordinates of each row, the mean over rows.
double over_coordinates(const Table& part, const Table& sum) {
  double total = 0;
  for (Index i = 0; i < sum.rows(); ++i) {
    const Vector x = (sum.row(i).array() - sum.row(i).mean()).transpose();
    const double variance = x.squaredNorm();
    if (variance > 0) total += part.row(i).dot(x) / variance;
  }
  return total / static_cast<double>(sum.rows());
}

/// What the shares of each vector's own variance are: here the common vector has one.
void add_coordinate_shares(const PartRows& rows, const Vector& segment_mean, Numbers& numbers) {
  const Table sum = rows.sum();
  const auto add = [&](const char* name, const Words& part, const Table& addend) {
    numbers.add(Measured(fmt::format("{}_over_coordinates", name),
                         {part.en + ": share of a vector's variance over its coordinates, mean over the corpus",
                          part.zh + "：占一个向量各坐标方差的比例，语料平均"},
                         over_coordinates(addend, sum)));
  };
  add("common", {"common vector", "公共向量"}, rows.common);
  add("token", {"centred token", "中心化词元"}, rows.token);
  add("position", {"centred position", "中心化位置"}, rows.position);
  add("segment", {"centred segment", "中心化片段"}, rows.segment);
  add("segment_raw", {"raw segment", "原始片段"}, rows.segment.rowwise() + segment_mean.transpose());
}

struct Sample {
  std::vector<SumItem> items;
  PartRows rows;
  PartRows after;
};

void measure_dominance(const Sample& corpus, const Sample& uniform, const InputParts& parts,
                       const Conditions& conditions, Findings& findings) {
  RandomStream rotation(conditions.seed, "variance shares: rotation");
  RandomStream shuffle(conditions.seed, "variance shares: dimensions");
  const Words of_null{"positions turned at random, a tenth of the variance", "位置行随机旋转，方差占十分之一"};
  const Words of_control{"every tenth dimension planted as the positions'", "每十个维度构造一个属于位置"};
  const PartRows null = evenly_spread(corpus.rows, rotation);
  const PartRows control = with_own_dimensions(corpus.rows);
  const DimensionShares own = dimension_shares(corpus.rows);
  const DimensionShares after = dimension_shares(corpus.after);
  const DimensionShares over_tables = uniform_shares(parts);
  const DimensionShares uniform_after = dimension_shares(uniform.after);
  const Draws draws{.seed = conditions.seed,
                    .name = "variance shares: bootstrap",
                    .count = conditions.quick ? 20U : 100U,
                    .threads = threads_of(conditions)};
  if (conditions.quick)
    findings.left_out.push_back({"20 bootstrap samples instead of 100", "自助样本 20 个而非 100 个"});
  Numbers& numbers = findings.numbers["0.1"];
  numbers.add(
      Measured("dominated",
               {"fraction of dimensions where position has over half of the variance; corpus, before normalisation",
                "位置占方差一半以上的维度比例；按语料，归一化前"},
               DimensionShares::dominated(own.position))
          .interval(bootstrap(
              corpus.items.size(),
              [&](std::span<const size_t> chosen) {
                return DimensionShares::dominated(dimension_shares(corpus.rows, chosen).position);
              },
              draws))
          .null(dominated_of(null), of_null)
          .control(dominated_of(control), of_control));
  numbers.add(Measured("dominated_shuffled",
                       {"the same with the positions' dimensions in random order", "同上，位置的维度次序打乱"},
                       dominated_of(with_shuffled_dimensions(corpus.rows, shuffle))));
  numbers.add(Measured("dominated_after", {"the same, after normalisation", "同上，归一化后"},
                       DimensionShares::dominated(after.position)));
  numbers.add(Measured("dominated_uniform",
                       {"the same, all combinations alike, before normalisation", "同上，各组合等权，归一化前"},
                       DimensionShares::dominated(over_tables.position)));
  numbers.add(Measured("dominated_uniform_after",
                       {"the same, all combinations alike, after normalisation", "同上，各组合等权，归一化后"},
                       DimensionShares::dominated(uniform_after.position)));
  const auto shares = [&](const char* name, const Words& where, const DimensionShares& of) {
    const auto add = [&](const char* part, const Words& words, const Vector& share) {
      numbers.add(
          Measured(fmt::format("{}_{}", part, name), {words.en + where.en, words.zh + where.zh}, of.whole(share)));
    };
    add("token_share", {"token's share of the variance, ", "词元的方差占比，"}, of.token);
    add("position_share", {"position's share of the variance, ", "位置的方差占比，"}, of.position);
    add("segment_share", {"segment's share of the variance, ", "片段的方差占比，"}, of.segment);
  };
  shares("corpus", {"corpus, before normalisation", "按语料，归一化前"}, own);
  shares("corpus_after", {"corpus, after normalisation", "按语料，归一化后"}, after);
  shares("uniform", {"all combinations alike, before normalisation", "各组合等权，归一化前"}, over_tables);
  shares("uniform_after", {"all combinations alike, after normalisation", "各组合等权，归一化后"}, uniform_after);
  add_coordinate_shares(corpus.rows, parts.segment_mean, numbers);
  const Vector token_variance = own.token.cwiseProduct(own.variance);
  const double masked = (own.position.array() > 0.5).select(token_variance.array(), 0.0).sum();
  numbers.add(Measured("tokens_there",
                       {"the tokens' variance that lies in those dimensions", "词元方差落在这些维度中的比例"},
                       token_variance.sum() > 0 ? masked / token_variance.sum() : 0));
  numbers.add(Measured("participation",
                       {"participation ratio of the positions' variance over dimensions, of all (table, centred)",
                        "位置方差在各维度上的参与率（整表，中心化）"},
                       participation(parts.positions))
                  .null(participation(null.position), of_null)
                  .control(participation(control.position), of_control));
}

/// What doubling changes in the positions' share.
double change_of_share(const PartRows& rows, const PartRows& changed) {
  const DimensionShares before = dimension_shares(rows);
  const DimensionShares after = dimension_shares(changed);
  return std::abs(after.whole(after.position) - before.whole(before.position));
}

/// Of the coordinates of each row: the mean variance.
double coordinate_variance(const Table& rows) {
  const Vector means = rows.rowwise().mean();
  return (rows.colwise() - means).squaredNorm() / static_cast<double>(rows.size());
}

/// The standard deviation over rows of each row's own deviation, beside its mean.
double uneven(const Table& rows) {
  const Vector means = rows.rowwise().mean();
  const Vector deviations = ((rows.colwise() - means).cwiseAbs2().rowwise().mean()).cwiseSqrt();
  return standard_deviation(elements(deviations)) / deviations.mean();
}

void measure_normalisation(const Sample& corpus, const FirstNorm& norm, Findings& findings) {
  const PartRows& rows = corpus.rows;
  const PartRows doubled = with_positions(rows, 2 * rows.position);
  const PartRows all_doubled{2 * rows.common, 2 * rows.token, 2 * rows.position, 2 * rows.segment};
  FirstNorm plain = norm;
  plain.weight.setOnes();
  Numbers& numbers = findings.numbers["Q8c"];
  numbers.add(Measured("mix_moves",
                       {"change of the positions' share after normalisation when their rows are doubled",
                        "位置行加倍时，归一化后位置占比的变化"},
                       change_of_share(corpus.after, normalised(doubled, norm)))
                  .null(change_of_share(rows, doubled), {"without the normalisation", "不做归一化"})
                  .control(change_of_share(corpus.after, normalised(all_doubled, norm)),
                           {"the whole sum doubled, which it takes out", "整个和加倍，归一化会消去"}));
  numbers.add(Measured(
      "uneven_before",
      {"spread of σ over tokens, beside its mean, before normalisation", "归一化前各词元 σ 的离散程度（与均值之比）"},
      uneven(rows.sum())));
  numbers.add(Measured("uneven_after", {"the same after it, weight and bias left out", "归一化后（不含权重与偏置）"},
                       uneven(normalised(rows, plain).sum())));
  const auto variance = [&](const char* name, Words label, const Table& part) {
    numbers.add(Measured(name, std::move(label), coordinate_variance(part)));
  };
  variance("variance_token", {"variance over coordinates, centred token rows", "中心化词元行在各维度上的方差"},
           rows.token);
  variance("variance_position", {"the same, position rows", "同上，位置行"}, rows.position);
  variance("variance_segment", {"the same, segment rows", "同上，片段行"}, rows.segment);
  variance("variance_common", {"the same, the common vector", "同上，公共向量"}, rows.common);
  variance("variance_sum", {"the same, the sum", "同上，三者之和"}, rows.sum());
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
  numbers.add(Measured("sinusoid_rotated", {"the same of that sinusoid, turned at random", "同一正弦表随机旋转后"},
                       first_over_last(uniform_shares(planted).position)));
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

Sample sample_of(const InputParts& parts, const FirstNorm& norm, std::vector<SumItem> items) {
  Sample sample{std::move(items), {}, {}};
  sample.rows = part_rows(parts, sample.items);
  sample.after = normalised(sample.rows, norm);
  return sample;
}

Findings run(const Subject& subject, const Conditions& conditions) {
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
  const Sample in_corpus = sample_of(parts, norm, fits ? corpus.items : drawn_items(corpus, count, stream));
  const Sample uniform = sample_of(parts, norm, uniform_items(subject, count, stream));
  conditions.progress(0.3);
  measure_dominance(in_corpus, uniform, parts, conditions, findings);
  conditions.progress(0.7);
  measure_normalisation(in_corpus, norm, findings);
  measure_first_dimensions(parts, conditions, findings);
  findings.figures.push_back(shares_figure(dimension_shares(in_corpus.rows), dimension_shares(in_corpus.after)));
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
  verdict.inference = little ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("position has over half of the variance in {:.1f} % of the dimensions ({:.1f} % after "
                  "normalisation), {:.2f} of it in all; {:.2f} of the tokens' variance lies there",
                  100 * own, 100 * numbers.value("dominated_after"), numbers.value("position_share_corpus"),
                  numbers.value("tokens_there")),
      fmt::format(
          "位置在 {:.1f}% 的维度中占方差一半以上（归一化后 {:.1f}%），总体占 {:.2f}；词元方差有 {:.2f} 落在其中",
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

Words answer(const Findings& findings, const std::map<std::string, Verdict>&) {
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
      .null = {"positions turned at random with a tenth of the variance; no normalisation; dimensions in random order",
               "位置行随机旋转并占十分之一方差；不做归一化；维度次序打乱"},
      .control = {"every tenth dimension planted as the positions'; the whole sum doubled; a sinusoid",
                  "每十个维度构造一个属于位置；整个和加倍；正弦表"},
      .rules =
          {{.claim = "0.1",
            .observation =
                {"holds if position has more than half of the corpus' variance in at least 1 % of the "
                 "dimensions before normalisation; fails otherwise; if the null reaches 1 % or the "
                 "control does not, it cannot be told",
                 "归一化前按语料计，位置在至少 1% 的维度中占方差一半以上则成立；否则不成立；若零假设达到 1% 或对照"
                 "达不到，则无法判断"},
            .inference = {"that the tokens are masked does not follow if less than a tenth of their variance lies in "
                          "those dimensions; otherwise not tested",
                          "若词元方差落在这些维度中的不到十分之一，则“词元被掩盖”推不出；否则未检验"},
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
      .run = run,
      .answer = answer};
}

}  // namespace summand::lab
