// 4.2: expanded to second order in the position vectors, how much of the model is left, and which term holds what?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/expansion/taylor.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/interaction.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kHalf = 0.5;    // of the change: below it the derivation is a heuristic (the ledger, row 4.2)
constexpr double kExact = 0.95;  // what the expansion has to explain of small positions

/// What is measured: at the model's own position rows, and with those that stand out, [CLS]'s above all, left in.
struct Measurements {
  ExpandedTexts all;
  ExpandedTexts others;
  MixedDifferences at_size;
  MixedDifferences small;
  bool has_loss = false;
};

/// The share of the pairs' terms off the diagonal that m − n alone explains, median over texts and functions.
double toeplitz_of(const std::vector<Table>& terms) {
  std::vector<double> shares;
  for (const auto& one : terms) shares.push_back(toeplitz_hankel((one + one.transpose()) / 2).toeplitz);
  return median(shares);
}

/// Entries off the diagonal in random order, still symmetric.
Table shuffled(const Table& table, RandomStream& stream) {
  std::vector<double> entries;
  for (Index m = 0; m < table.rows(); ++m) {
    for (Index n = m + 1; n < table.rows(); ++n) entries.push_back(table(m, n));
  }
  stream.shuffle(std::span(entries));
  Table result = table;
  for (Index m = 0, i = 0; m < table.rows(); ++m) {
    for (Index n = m + 1; n < table.rows(); ++n) {
      result(m, n) = result(n, m) = entries[static_cast<size_t>(i++)];
    }
  }
  return result;
}

void add_toeplitz(const ExpandedTexts& measured, const Conditions& conditions, Numbers& numbers) {
  RandomStream stream(conditions.seed, "expansion: shuffled terms");
  std::vector<Table> own;
  std::vector<Table> random;
  for (const auto& text : measured.texts) {
    for (size_t f = 0; f < Interaction::kDirections; ++f) {
      own.push_back((text.terms[f] + text.terms[f].transpose()) / 2);
      random.push_back(shuffled(own.back(), stream));
    }
  }
  Table distances(own.front().rows(), own.front().rows());
  for (Index m = 0; m < distances.rows(); ++m) {
    for (Index n = 0; n < distances.rows(); ++n)
      distances(m, n) = std::exp(-0.3 * std::abs(static_cast<double>(m - n)));
  }
  numbers.add(Measured("terms_toeplitz",
                       {"share of the terms p_mᵀ H p_n that m − n alone explains, median over texts and directions",
                        "p_mᵀ H p_n 各项中仅由 m − n 解释的占比（文本与方向上的中位数）"},
                       toeplitz_of(own))
                  .null(toeplitz_of(random), {"the same terms in random order", "同样的项，次序打乱"})
                  .control(toeplitz_of({distances}), {"a function of m − n", "m − n 的函数"}));
}

void add_numbers(const Measurements& measurements, const Conditions& conditions, Numbers& numbers) {
  const auto& measured = measurements.all;
  const auto& others_alone = measurements.others;
  const Words of_null{"position rows 4 times as long as token rows", "位置行放大到词元行的 4 倍"};
  const auto& strengths = measured.strengths;
  const Words of_control{"position rows a 64th as long", "位置行缩小到 64 分之一"};
  for (const int order : {1, 2}) {
    const auto interval =
        bootstrap(measured.texts.size(),
                  [&](std::span<const size_t> chosen) { return measured.explained_at(kFull, order, chosen); },
                  {.seed = conditions.seed, .name = fmt::format("expansion: order {}", order), .count = 1000});
    numbers.add(Measured(fmt::format("explained_{}", order),
                         {fmt::format("share of the change by all positions that order {} explains", order),
                          fmt::format("{}阶展开解释的变化占比（加入全部位置）", order == 1 ? "一" : "二")},
                         measured.explained_at(kFull, order))
                    .interval(interval)
                    .null(measured.explained_at(kNull, order), of_null)
                    .control(measured.explained_at(kSmallest, order), of_control));
  }
  numbers.add(Measured("explained_2_others",
                       {"order 2 with the rows that stand out, [CLS]'s above all, kept at full size",
                        "二阶，其中突出的行（首先是 [CLS] 的行）保持完整大小"},
                       others_alone.explained_at(kFull, 2))
                  .null(others_alone.explained_at(kNull, 2), of_null)
                  .control(others_alone.explained_at(kSmallest, 2), of_control));
  const auto size = [&](const char* name, const Words& label, const auto& of) {
    numbers.add(Measured(name, label, measured.relative_size(kFull, of))
                    .null(measured.relative_size(kNull, of), of_null)
                    .control(measured.relative_size(kSmallest, of), of_control));
  };
  size("size_first", {"size of the first-order terms, in sizes of the change", "一阶各项的大小（以变化的大小计）"},
       [&](const Expanded& text, size_t at) -> Vector { return strengths[at] * text.first; });
  size("size_same", {"size of ½ p_mᵀ H p_m, one position each", "½ p_mᵀ H p_m（同一位置）的大小"},
       [&](const Expanded& text, size_t at) -> Vector { return strengths[at] * strengths[at] * text.same; });
  size("size_pairs", {"size of p_mᵀ H p_n, two positions", "p_mᵀ H p_n（两个位置）的大小"},
       [&](const Expanded& text, size_t at) -> Vector { return strengths[at] * strengths[at] * text.pairs; });
  size("size_rest", {"size of what is left beyond the second order", "二阶之外余项的大小"},
       [&](const Expanded& text, size_t at) -> Vector { return text.changes[at] - text.predicted(strengths[at], 2); });
  RandomStream stream(conditions.seed, "expansion: pairs");
  auto others = measurements.at_size.expected;
  stream.shuffle(std::span(others));
  numbers.add(Measured("mixed_explained",
                       {"share of f(x+p_m+p_n) − f(x+p_m) − f(x+p_n) + f(x) that p_mᵀ H p_n explains",
                        "f(x+p_m+p_n) − f(x+p_m) − f(x+p_n) + f(x) 中由 p_mᵀ H p_n 解释的占比"},
                       explained(measurements.at_size.exact, measurements.at_size.expected))
                  .null(explained(measurements.at_size.exact, others), {"terms of other pairs", "其他位置对的项"})
                  .control(explained(measurements.small.exact, measurements.small.expected), of_control));
  add_toeplitz(measured, conditions, numbers);
  if (!measurements.has_loss) return;
  std::vector<double> exact[3];
  std::vector<double> expected[3];
  for (const auto& text : measured.texts) {
    for (size_t i = 0; const size_t strength : {kFull, kNull, kSmallest}) {
      exact[i].push_back(text.changes[strength](Interaction::kDirections));
      expected[i++].push_back(text.predicted(strengths[strength], 2)(Interaction::kDirections));
    }
  }
  numbers.add(Measured("loss_explained",
                       {"the same of the loss of a masked token, order 2", "掩码词元的损失：二阶解释的占比"},
                       explained(exact[0], expected[0]))
                  .null(explained(exact[1], expected[1]), of_null)
                  .control(explained(exact[2], expected[2]), of_control));
}

Figure curve(const ExpandedTexts& measured, const ExpandedTexts& others_alone) {
  using namespace chart;
  const std::vector<Series> orders{
      {{"order 1", "一阶"}, {.colour = "@orange", .dash = {6, 3}}},
      {{"order 2", "二阶"}, {.colour = "@blue", .width = 2.5}},
      {{"order 2, rows that stand out kept", "二阶，突出的行保持不变"}, {.colour = "@green", .dash = {2, 2}}}};
  std::vector<double> strength;
  std::vector<double> share;
  std::vector<Words> order;
  for (size_t i = 0; i < kShownStrengths.size(); ++i) {
    const double shares[]{measured.explained_at(i, 1), measured.explained_at(i, 2), others_alone.explained_at(i, 2)};
    for (size_t one = 0; one < orders.size(); ++one) {
      strength.push_back(kShownStrengths[i]);
      share.push_back(std::max(-1.0, shares[one]));
      order.push_back(orders[one].words);
    }
  }
  const Json x =
      logarithmic(number("strength", {"position rows times", "位置行的倍数"}), {0.015625, 0.0625, 0.25, 1, 4});
  return {.name = "expansion-explained",
          .title = {"What the expansion explains", "展开解释了多少"},
          .caption = {"Of the change of the output when positions are added at this strength; 1 is all of it, values "
                      "below −1 are drawn there. The dashed line is the half that the rule asks for at strength 1.",
                      "按此倍数加入位置时输出变化中被解释的部分；1 为全部，低于 −1 的画在 −1 处。虚线为规则在倍数 1 "
                      "处要求的一半。"},
          .specification =
              layers({mark({{"type", "line"}, {"point", true}},
                           of_lines({{"x", x}, {"y", number("share", {"share explained", "解释的占比"}, ".3f")}},
                                    "order", {"order", "阶"}, orders)),
                      rule("y", kHalf), rule("x", 1), rule_label("x", 1, {"the model", "模型本身"})}),
          .data = FigureData{{{"strength", strength}, {"share", share}, {"order", order}}}};
}

Figure terms_figure(const Numbers& numbers) {
  using namespace chart;
  std::vector<Words> of;
  std::vector<double> size;
  const std::pair<const char*, Words> terms[]{{"size_first", {"first order", "一阶"}},
                                              {"size_same", {"½ p_mᵀ H p_m, one position", "½ p_mᵀ H p_m（一个位置）"}},
                                              {"size_pairs", {"p_mᵀ H p_n, two positions", "p_mᵀ H p_n（两个位置）"}},
                                              {"size_rest", {"beyond the second order", "二阶之外"}}};
  for (const auto& [name, words] : terms) {
    of.push_back(words);
    size.push_back(numbers.value(name));
  }
  return {.name = "expansion-terms",
          .title = {"The terms of the expansion at full size", "完整大小下展开的各项"},
          .caption = {"Root mean square over directions and texts, in sizes of the whole change: terms may be larger "
                      "than 1 where they cancel. Only the third holds two positions.",
                      "方向与文本上的均方根，以总变化的大小计：各项相互抵消时可大于 1。只有第三项同时含有两个位置。"},
          .specification = with_height(mark({{"type", "bar"}}, {{"y", listed("of", {"term", "项"})},
                                                                {"x", number("size", {"size", "大小"}, ".3f")}}),
                                       height_of(of.size())),
          .data = FigureData{{{"of", of}, {"size", size}}}};
}

Findings run_expansion(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const size_t longest = conditions.quick ? 8 : 10;
  size_t length = 0;
  for (const auto& one : subject.corpus.sentences) length = std::max(length, std::min(longest, one.ids.size()));
  length = std::min(length, static_cast<size_t>(subject.positions.rows()));
  if (const auto lacking = lacks_interaction(subject, std::max(MixedDifferences::kTokens, length))) {
    findings.gaps["4.2"] = *lacking;
    return findings;
  }
  const size_t count = conditions.quick ? 2 : 5;
  if (conditions.quick) {
    findings.left_out.push_back({"2 texts of 8 tokens instead of 5 of 10", "2 条 8 词元的文本，而非 5 条 10 词元"});
  }
  if (centred(subject.positions).isZero(0)) {
    findings.gaps["4.2"] = {"the position rows are all equal: nothing is expanded", "位置行全部相等：无可展开"};
    return findings;
  }
  const Interaction interaction(subject, conditions);
  const auto texts = interaction.texts(count, length);
  Measurements measured;
  measured.all.strengths = measured.others.strengths = strengths_of(subject);
  measured.has_loss = interaction.functions() > Interaction::kDirections;
  const auto outlying = outlying_rows(subject.positions);
  for (const auto& text : texts) {
    const auto& strengths = measured.all.strengths;
    measured.all.texts.push_back(expand(interaction, text, strengths));
    measured.others.texts.push_back(expand(interaction, with_rows_kept(text, outlying), strengths));
    measured.at_size.add(interaction, text, measured.all.texts.back(), 1);
    measured.small.add(interaction, text, measured.all.texts.back(), strengths[kSmallest]);
    conditions.progress(static_cast<double>(measured.all.texts.size()) / static_cast<double>(texts.size()));
  }
  Numbers& numbers = findings.numbers["4.2"];
  add_numbers(measured, conditions, numbers);
  findings.figures = {curve(measured.all, measured.others), terms_figure(numbers)};
  findings.remarks.push_back(
      {fmt::format("{} texts of {} tokens. The point is the sum with every position row replaced by the mean one, "
                   "before normalisation; p are the rows less that mean, for W + c with P − c is the same model. "
                   "Derivatives are exact, by dual numbers in double precision.",
                   texts.size(), length),
       fmt::format(
           "{} 条 {} 词元的文本。展开点为把每个位置行换成均值行之后的和（归一化之前）；p 为各行减去该均值，因为 W "
           "+ c 与 P − c 是同一模型。导数由双精度对偶数精确给出。",
           texts.size(), length)});
  return findings;
}

Verdict judge_expansion(const Numbers& numbers) {
  const double two = numbers.value("explained_2");
  const double mixed = numbers.value("mixed_explained");
  Verdict verdict;
  if (numbers.control("explained_2") < kExact || numbers.null("explained_2") >= kHalf) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = two >= kHalf ? Observation::holds : Observation::fails;
  }
  if (numbers.control("mixed_explained") < kExact || numbers.null("mixed_explained") >= kHalf) {
    verdict.inference = Inference::not_tested;
  } else {
    verdict.inference = mixed >= kHalf ? Inference::follows : Inference::does_not_follow;
  }
  verdict.reason = {
      fmt::format("at full size what the second order leaves is {:.2f} times as large as the change itself (the first "
                  "order: {:.2f} of it explained, the second {:.2f}); of what needs two positions p_mᵀ H p_n explains "
                  "{:.2f}; at a 64th of the size the second order explains {:.3f}",
                  numbers.value("size_rest"), numbers.value("explained_1"), two, mixed, numbers.control("explained_2")),
      fmt::format(
          "完整大小下，二阶之外的余项是变化本身的 {:.2f} 倍（一阶解释 {:.2f}，二阶 {:.2f}）；需要两个位置的部分中 "
          "p_mᵀ H p_n 解释 {:.2f}；缩小到 64 分之一时二阶解释 {:.3f}",
          numbers.value("size_rest"), numbers.value("explained_1"), two, mixed, numbers.control("explained_2"))};
  return verdict;
}

Words answer_expansion(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.2")) return findings.gaps.at("4.2");
  const Numbers& numbers = findings.numbers.at("4.2");
  const bool most = verdicts.at("4.2").observation == Observation::holds;
  return {fmt::format("{} At full size, what the second order leaves is {:.2g} times as large as the change that "
                      "positions make; at a 64th of the size it explains {:.0f} % of it. Position rows are {} quantity "
                      "for this model.",
                      most ? "Most of it." : "Little.", numbers.value("size_rest"),
                      100 * numbers.control("explained_2"), most ? "a small" : "no small"),
          fmt::format("{}完整大小下，二阶之外的余项是位置所致变化的 {:.2g} 倍；缩小到 64 分之一时，二阶解释其 "
                      "{:.0f}%。对此模型，位置行{}小量。",
                      most ? "大部分。" : "所剩不多。", numbers.value("size_rest"),
                      100 * numbers.control("explained_2"), most ? "是" : "不是")};
}

}  // namespace

Experiment expansion_experiment() {
  return {
      .name = "expansion",
      .effort = 30,
      .title = {"The expansion in positions", "对位置的展开"},
      .question = {"Expanded to second order in the position rows, how much of the model is left?",
                   "把模型对位置行展开到二阶，还剩下模型的多少？"},
      .definition =
          {"f: the mean of the last hidden states along 16 fixed random directions (and the loss of a masked token "
           "where "
           "there is a head). Its change from the sum without positions to the sum with them, and of that the first "
           "order, ½ p_mᵀ H p_m, p_mᵀ H p_n, and the rest; share explained is 1 − Σ(rest)²/Σ(change)². And for pairs "
           "of tokens the mixed difference beside p_mᵀ H p_n.",
           "f：末层隐状态均值在 16 个固定随机方向上的投影（有掩码语言模型头时再加一个掩码词元的损失）。从不含位置的和到"
           "含位置的和，f 的变化分成一阶项、½ p_mᵀ H p_m、p_mᵀ H p_n 与余项；解释占比为 1 − Σ余项²/Σ变化²。并对词元对"
           "比较混合差分与 p_mᵀ H p_n。"},
      .source = {"document 004 (Su 2021, kexue.fm 8231); derivatives: Griewank & Walther",
                 "文档 004（苏剑林 2021，kexue.fm 8231）；导数：Griewank & Walther"},
      .null = {"position rows 4 times as long as token rows; terms of other pairs",
               "位置行放大到词元行的 4 倍；其他位置对的项"},
      .control = {"position rows a 64th as long: a small change, as the document supposes",
                  "位置行缩小到 64 分之一：确为文档假设的小量"},
      .rules =
          {{.claim = "4.2",
            .observation =
                {"holds if the second order explains at least half of the change at full size; fails "
                 "otherwise; if it explains half of rows 4 times as long as token rows, or less than .95 at a 64th, "
                 "it cannot be told",
                 "完整大小下二阶解释至少一半的变化则成立；否则不成立；若放大到词元行的 4 倍仍解释一半，或 64 分之一时不"
                 "足 .95，则无法判断"},
            .inference = {"that p_mᵀ H p_n is what can express the relative position follows if it explains at "
                          "least half of the mixed differences at full size; otherwise it does not follow",
                          "若完整大小下 p_mᵀ H p_n 解释混合差分的至少一半，则“可表达相对位置的是这一项”推得出；否则推不"
                          "出"},
            .judge = judge_expansion}},
      .run = run_expansion,
      .answer = answer_expansion};
}

}  // namespace summand::lab
