// E3: how many principal components does the position table have, and what does their number show?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/compared.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr double kShare = 0.01;
constexpr double kLength = 12;             // of the Gaussian process, in positions
constexpr Eigen::Index kPlantedRank = 18;  // what document 002 counts
constexpr double kPlantedNoise = 0.05;
constexpr size_t kBlock = 16;  // rows drawn together by the bootstrap: neighbours resemble each other
constexpr Eigen::Index kShown = 40;
constexpr size_t kFewest = 6;
constexpr size_t kMost = 36;  // half and twice the document's 18, and a bit

double above(const Vector& shares) {
  return static_cast<double>(components_above(shares, kShare));
}

double leading(const Vector& shares) {
  return shares.head(std::min<Eigen::Index>(kPlantedRank, shares.size())).sum();
}

/// Smooth, of this rank but for a little noise, all components of like size.
Table planted(Shape shape, RandomStream& stream) {
  const Shape thin{.rows = shape.rows, .columns = static_cast<size_t>(kPlantedRank)};
  const Table scores = white_noise(thin, stream);
  const Table directions = white_noise({thin.columns, shape.columns}, stream);
  return scores * directions / std::sqrt(static_cast<double>(kPlantedRank)) +
         kPlantedNoise * white_noise(shape, stream);
}

struct DrawnShares {
  std::vector<Vector> shares;

  [[nodiscard]] double middle(const std::function<double(const Vector&)>& of) const {
    std::vector<double> values;
    for (const auto& one : shares) values.push_back(of(one));
    return median(values);
  }
};

DrawnShares shares_of(const Conditions& conditions, const std::string& name, size_t draws,
                      const std::function<Table(RandomStream&)>& draw) {
  DrawnShares drawn{.shares = std::vector<Vector>(draws)};
  run_tasks(conditions, draws, [&](size_t i) {
    RandomStream stream(conditions.seed, fmt::format("spectrum: {} {}", name, i));
    drawn.shares[i] = variance_shares(draw(stream));
  });
  return drawn;
}

/// The part's shares of variance, and those of as many rows of white noise and of the planted table.
Compared<Vector> compared(const PositionPart& part, size_t draws, const Conditions& conditions) {
  const Shape shape{.rows = static_cast<size_t>(part.rows.rows()), .columns = static_cast<size_t>(part.rows.cols())};
  const std::string of_part = part.name == "all" ? "" : " " + part.name;
  RandomStream stream(conditions.seed, "spectrum: planted" + of_part);
  return {.own = variance_shares(part.rows),
          .nulls = shares_of(conditions, "white noise" + of_part, draws,
                             [&](auto& draw) { return white_noise(shape, draw); })
                       .shares,
          .control = variance_shares(planted(shape, stream)),
          .of_null = words_of_median(Surrogate::white_noise, draws),
          .of_control = {"planted: rank 18 and a little noise", "构造：秩 18 加少量噪声"}};
}

Interval interval_of_number(const Table& table, const Conditions& conditions) {
  const Draws draws{.seed = conditions.seed,
                    .name = "spectrum: bootstrap",
                    .count = conditions.quick ? 20U : 200U,
                    .threads = conditions.threads};
  const auto statistic = [&](std::span<const size_t> rows) {
    Table resampled(static_cast<Eigen::Index>(rows.size()), table.cols());
    for (size_t i = 0; i < rows.size(); ++i) {
      resampled.row(static_cast<Eigen::Index>(i)) = table.row(static_cast<Eigen::Index>(rows[i]));
    }
    // A draw may leave out the only rows that differ.
    if ((resampled.rowwise() - resampled.row(0).eval()).isZero(0)) return 0.0;
    return above(variance_shares(resampled));
  };
  return block_bootstrap(static_cast<size_t>(table.rows()), kBlock, statistic, draws);
}

/// The share of one component in every draw.
std::vector<double> shares_at(const DrawnShares& drawn, Eigen::Index component) {
  std::vector<double> values;
  for (const auto& one : drawn.shares) values.push_back(one(component));
  return values;
}

/// One line per table, component by component; of drawn tables the median, and a band of 95 % of the draws.
Figure scree(const Vector& table, const DrawnShares& white, const DrawnShares& smooth, const Vector& control) {
  using namespace chart;
  std::vector<double> component;
  std::vector<double> share;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<Words> which;
  std::vector<Series> series;
  const auto add = [&](Eigen::Index i, double value, const Interval& band) {
    component.push_back(static_cast<double>(i + 1));
    share.push_back(value);
    low.push_back(band.low);
    high.push_back(band.high);
    which.push_back(series.back().words);
  };
  const auto add_table = [&](const Vector& shares, const Series& one) {
    series.push_back(one);
    for (Eigen::Index i = 0; i < std::min(kShown, shares.size()); ++i) add(i, shares(i), {shares(i), shares(i)});
  };
  const auto add_drawn = [&](const DrawnShares& drawn, const Series& one) {
    series.push_back(one);
    for (Eigen::Index i = 0; i < std::min(kShown, drawn.shares.front().size()); ++i) {
      const auto values = shares_at(drawn, i);
      add(i, median(values), middle_95_percent(values));
    }
  };
  add_table(table, series_of_table());
  add_drawn(smooth, series_of(Surrogate::gaussian_process));
  add_drawn(white, series_of(Surrogate::white_noise));
  add_table(control, {{"planted, rank 18", "构造，秩 18"}, {.colour = "@sky", .dash = {8, 2}}});
  const Words of{"table", "表"};
  const Json x = whole("component", {"component", "主成分"});
  const Json y = logarithmic(number("share", {"share of variance", "方差占比"}, ".4f"),
                             {1, 0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001});
  Json bottom = y;
  bottom["field"] = "low";
  Json band =
      mark({{"type", "area"}, {"tooltip", nullptr}}, {{"x", x}, {"y", bottom}, {"color", coloured("of", of, series)}});
  band["encoding"]["y2"] = {{"field", "high"}};
  band["encoding"].erase("tooltip");
  return {
      .name = "spectrum-shares",
      .title = {"Variance by principal component", "各主成分的方差占比"},
      .caption = {"Lines of drawn tables are medians, their bands hold 95 % of the draws. A smooth random path falls "
                  "off as a learned table does; white noise does not.",
                  "抽样所得各线为中位数，阴影含 95% 的抽样。平滑的随机路径与学到的表衰减相似，白噪声则不然。"},
      .specification =
          layers({std::move(band), mark({{"type", "line"}}, of_lines({{"x", x}, {"y", y}}, "of", of, series)),
                  rule("y", kShare), rule_label("y", kShare, {"1 %", "1%"})}),
      .data = FigureData{{{"component", component}, {"share", share}, {"low", low}, {"high", high}, {"of", which}}}};
}

void add_parts(Numbers& numbers, const Table& table, size_t draws, const Conditions& conditions) {
  for (const auto& part : position_parts(table)) {
    if (part.name == "all" || lacking(part.rows, 2, 1)) continue;
    const auto shares = compared(part, draws, conditions);
    numbers.add(shares.number("components_above_1_percent_" + part.name,
                              {"components above 1 %, " + part.words.en, "占比超过 1% 的主成分数，" + part.words.zh},
                              above));
    numbers.add(shares.number("effective_rank_" + part.name,
                              {"effective rank, " + part.words.en, "有效秩，" + part.words.zh}, effective_rank));
  }
}

Findings run_spectrum(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table& table = subject.positions;
  if (const auto gap = lacking(table, 2 * kLeastPart, 1)) {
    findings.gaps["E3"] = *gap;
    return findings;
  }
  const Shape shape{.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())};
  const size_t draws = conditions.quick ? 3 : 20;
  const auto shares = compared({.name = "all", .words = {}, .rows = table}, draws, conditions);
  conditions.progress(0.2);
  const auto smooth = shares_of(conditions, "Gaussian process", draws,
                                [&](auto& stream) { return gaussian_process(shape, kLength, stream); });
  conditions.progress(0.4);

  if (conditions.quick) {
    findings.left_out.push_back({"3 draws of each null instead of 20, 20 bootstrap samples instead of 200",
                                 "每种零假设 3 次抽样而非 20 次，自助样本 20 个而非 200 个"});
  }
  const Words of_smooth = median_of_draws({"Gaussian process of length 12", "长度 12 的高斯过程"}, draws);
  Numbers& numbers = findings.numbers["E3"];
  numbers.add(shares.number("components_above_1_percent", {"components above 1 %", "占比超过 1% 的主成分数"}, above)
                  .interval(interval_of_number(table, conditions)));
  conditions.progress(0.7);
  numbers.add(shares.number("effective_rank", {"effective rank", "有效秩"}, effective_rank));
  numbers.add(shares.number("first_component", {"share of the first component", "第一主成分占比"},
                            [](const Vector& one) { return one(0); }));
  numbers.add(
      shares.number("first_18_components", {"share of the first 18 components", "前 18 个主成分占比"}, leading));
  numbers.add(
      shares.beside(Measured("smooth_components_above_1_percent",
                             {"components above 1 % of a smooth random path", "平滑随机路径中占比超过 1% 的主成分数"},
                             smooth.middle(above)),
                    above));
  numbers.add(shares.beside(
      Measured("smooth_first_18_components",
               {"share of the first 18 components of a smooth random path", "平滑随机路径前 18 个主成分占比"},
               smooth.middle(leading)),
      leading));
  add_parts(numbers, table, draws, conditions);
  findings.remarks.push_back(
      {"Published for a BERT checkpoint, document 002: 18 components above 1 %, .823 of the "
       "variance together. Of smooth random paths: " +
           of_smooth.en + ".",
       "文档 002 对某个 BERT 检查点的结果：18 个主成分超过 1%，合计 .823。平滑随机路径：" + of_smooth.zh + "。"});
  findings.figures.push_back(scree(shares.own, {shares.nulls}, smooth, shares.control));
  conditions.progress(1);
  return findings;
}

Verdict judge_spectrum(const Numbers& numbers) {
  const double count = numbers.value("components_above_1_percent");
  const double held = numbers.value("first_18_components");
  const bool told_apart = numbers.null("first_18_components") < 0.5 && numbers.control("first_18_components") >= 0.8;
  Verdict verdict;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (count >= kFewest && count <= kMost && held >= 0.8) {
    verdict.observation = Observation::holds;
  } else if (held < 0.5 || count > kMost || count < kFewest) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const bool smoothness_suffices = numbers.value("smooth_first_18_components") >= 0.8;
  verdict.inference = smoothness_suffices ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("{:.0f} components above 1 %, the first 18 hold {:.2f}; of a smooth random path {:.0f} and {:.2f}: "
                  "a few components show smoothness, no more",
                  count, held, numbers.value("smooth_components_above_1_percent"),
                  numbers.value("smooth_first_18_components")),
      fmt::format("{:.0f} 个主成分超过 1%，前 18 个合计 {:.2f}；平滑随机路径为 {:.0f} 个与 {:.2f}：成分少只说明平滑",
                  count, held, numbers.value("smooth_components_above_1_percent"),
                  numbers.value("smooth_first_18_components"))};
  return verdict;
}

Words answer_spectrum(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("E3")) return findings.gaps.at("E3");
  const Numbers& numbers = findings.numbers.at("E3");
  return {fmt::format("{:.0f} components hold more than 1 % each; the effective rank is {:.0f}. A smooth random path, "
                      "which knows nothing of language, has {:.0f}. Few components mean that neighbouring rows are "
                      "alike, and nothing beyond that.",
                      numbers.value("components_above_1_percent"), numbers.value("effective_rank"),
                      numbers.value("smooth_components_above_1_percent")),
          fmt::format("{:.0f} 个主成分各占 1% 以上，有效秩为 {:.0f}。与语言无关的平滑随机路径有 {:.0f} "
                      "个。成分少只说明相邻行相似，仅此而已。",
                      numbers.value("components_above_1_percent"), numbers.value("effective_rank"),
                      numbers.value("smooth_components_above_1_percent"))};
}

}  // namespace

Experiment spectrum_experiment() {
  return {
      .name = "spectrum",
      .effort = 3,
      .title = {"Its principal components", "它的主成分"},
      .question = {"How many principal components does the position table have, and what does their number show?",
                   "位置表有多少个主成分？这个数目说明什么？"},
      .definition = {"Singular values of the table, centred by column: shares of variance, how many exceed 1 %, "
                     "effective rank (exp of the shares' entropy); all positions, without position 0, below and from "
                     "128. The interval draws blocks of 16 neighbouring rows.",
                     "按列中心化后的奇异值：方差占比、超过 1% 的个数、有效秩（占比熵的指数）；全部位置、去掉位置 "
                     "0、小于 128 与不小于 128。区间由 16 行的块抽样得到。"},
      .source = {"document 002; effective rank: Roy & Vetterli 2007", "文档 002；有效秩：Roy & Vetterli 2007"},
      .null = {"white noise; beside it a Gaussian process of length 12, which has smoothness and nothing else",
               "白噪声；另有长度 12 的高斯过程，它只有平滑性"},
      .control = {"a planted table of rank 18 with a little noise", "构造的秩 18 的表，加少量噪声"},
      .rules = {{.claim = "E3",
                 .observation = {"holds if 6 to 36 components exceed 1 % and the first 18 hold at least .8; fails if "
                                 "they are fewer or more, or the first 18 hold less than .5; otherwise, or if white "
                                 "noise reaches .5 or the control misses .8, it cannot be told",
                                 "有 6 至 36 个主成分超过 1% 且前 18 个合计至少 .8 则成立；更少或更多，或前 18 个不足 "
                                 ".5 则不成立；其余情形，或白噪声达到 "
                                 ".5、对照达不到 .8 时，无法判断"},
                 .inference = {"that the table has learned something of relative position does not follow if a smooth "
                               "random path holds .8 in 18 components too; otherwise not tested",
                               "若平滑随机路径的前 18 个主成分也达到 .8，则“学到了相对位置”推不出；否则未检验"},
                 .judge = judge_spectrum}},
      .run = run_spectrum,
      .answer = answer_spectrum};
}

}  // namespace summand::lab
