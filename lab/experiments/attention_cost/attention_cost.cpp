// Q5 and Q5b: what does self-attention cost over the length, the width and the number of heads?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/measured.hpp"
#include "lab/experiments/attention_cost/attention_figures.hpp"
#include "lab/experiments/attention_cost/attention_times.hpp"
#include "lab/experiments/attention_cost/counted_attention.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr double kExact = 0.01;  // of an exponent; counts have no noise
constexpr double kAtAll = 0.5;   // between an exponent of 0 and one of 1, and of a share
constexpr std::array<size_t, 4> kLengths{8, 16, 32, 64};
constexpr std::array<size_t, 4> kWidths{16, 32, 64, 128};

template <class Sizes, class Of>
double exponent_over(const Sizes& sizes, const Of& of) {
  std::vector<double> x;
  std::vector<double> y;
  for (const size_t size : sizes) {
    x.push_back(static_cast<double>(size));
    y.push_back(static_cast<double>(of(size)));
  }
  return exponent_of(x, y);
}

void count_over_sizes(const Conditions& conditions, Numbers& numbers) {
  const auto at = [&](size_t length, size_t width) {
    return counts_of({.length = length, .width = width, .heads = 1}, HeadLayout::loop, conditions);
  };
  const Words of_projection{"one projection, counted alike", "同样统计的一个投影"};
  const Words closed{"n²·d in closed form", "闭式 n²·d"};
  const double by_length = exponent_over(kLengths, [&](size_t n) { return at(n, 32).products(); });
  numbers.add(Measured("exponent_of_length",
                       {"scores and weighted average, counted: exponent of the length n",
                        "打分与加权平均（计数）：对长度 n 的指数"},
                       by_length)
                  .null(exponent_over(kLengths, [](size_t n) { return counted_projection(n, 32, 32); }), of_projection)
                  .control(exponent_over(kLengths, [](size_t n) { return n * n * 32; }), closed));
  numbers.add(Measured("exponent_of_width", {"the same: exponent of the width d", "同上：对宽度 d 的指数"},
                       exponent_over(kWidths, [&](size_t d) { return at(16, d).products(); }))
                  .null(exponent_over(kWidths, [](size_t d) { return counted_projection(16, d, d); }), of_projection)
                  .control(exponent_over(kWidths, [](size_t d) { return 256 * d; }), closed));
  numbers.add(
      Measured("softmax_exponent_of_length",
               {"the softmax's exponentials, counted: exponent of n", "softmax 的指数运算（计数）：对 n 的指数"},
               exponent_over(kLengths, [&](size_t n) { return at(n, 32).exponentials; }))
          .null(exponent_over(kLengths, [](size_t n) { return counted_projection(n, 1, 1); }),
                {"one for each token, as in a normalisation", "每个词元一次，如归一化"})
          .control(exponent_over(kLengths, [](size_t n) { return n * n; }), {"n² in closed form", "闭式 n²"}));
}

void share_of_layer(const model::Config& config, Numbers& numbers) {
  const LayerOperations own = layer_operations(config);
  const LayerOperations wider{2 * own.width, 2 * own.inner};
  const auto longest = static_cast<double>(config.max_position_embeddings);
  const double shortest = std::min(longest, static_cast<double>(kShortText));
  const Words of_short{"at 16 tokens", "16 个词元时"};
  const Words of_wider{"a model twice as wide", "宽一倍的模型"};
  numbers.add(Measured("share_of_sublayer",
                       {fmt::format("scores' and average's share of the attention sub-layer at {} tokens", longest),
                        fmt::format("{} 个词元时打分与加权平均占注意力子层的比例", longest)},
                       own.share_of_sublayer(longest))
                  .null(own.share_of_sublayer(shortest), of_short)
                  .control(own.share_of_sublayer(2 * own.width), {"at n = 2d", "n = 2d 时"}));
  numbers.add(Measured("share_of_layer",
                       {"their share of the whole layer, feed-forward included", "占整层（含前馈）的比例"},
                       own.share_of_layer(longest))
                  .null(own.share_of_layer(shortest), of_short)
                  .control(own.share_of_layer(2 * own.width + own.inner),
                           {"at n = 2d + the inner width (6d in BERT)", "n = 2d + 前馈内宽（BERT 中为 6d）"}));
  numbers.add(
      Measured("crossing_with_projections",
               {"length from which they cost no less than the four projections", "从多长起，它们不少于四个投影"},
               own.crossing_sublayer())
          .null(wider.crossing_sublayer(), of_wider)
          .control(2 * own.width, {"2d in closed form", "闭式 2d"}));
  numbers.add(Measured("crossing_with_layer",
                       {"the same against projections and feed-forward", "从多长起，不少于投影与前馈之和"},
                       own.crossing_layer())
                  .null(wider.crossing_layer(), of_wider)
                  .control(2 * own.width + own.inner, {"2d + the inner width", "2d + 前馈内宽"}));
  std::vector<size_t> lengths{static_cast<size_t>(shortest)};
  while (lengths.back() * 2 <= static_cast<size_t>(longest)) lengths.push_back(lengths.back() * 2);
  if (lengths.size() < 2) return;
  const auto whole = [](const auto& of) { return [&of](size_t n) { return of(static_cast<double>(n)); }; };
  const auto layer = [&](double n) { return own.layer(n); };
  const auto feed_forward = [&](double n) { return own.feed_forward(n); };
  const auto scores = [&](double n) { return own.own(n); };
  numbers.add(
      Measured("exponent_of_layer",
               {fmt::format("exponent of n of the whole layer's operations, {} to {} tokens", shortest, longest),
                fmt::format("整层运算量对 n 的指数（{} 至 {} 个词元）", shortest, longest)},
               exponent_over(lengths, whole(layer)))
          .null(exponent_over(lengths, whole(feed_forward)), {"feed-forward alone", "仅前馈"})
          .control(exponent_over(lengths, whole(scores)), {"scores and average alone", "仅打分与加权平均"}));
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  return largest;
}

/// The largest over all numbers of heads.
double largest_difference(size_t width, HeadLayout one, HeadLayout other, const Conditions& conditions) {
  double largest = 0;
  for (const size_t heads : head_counts(width)) {
    const auto input = input_of({.length = kShortText, .width = width, .heads = heads}, conditions);
    largest = std::max(largest,
                       largest_difference(count_attention(input, one).context, count_attention(input, other).context));
  }
  return largest;
}

void count_over_heads(size_t width, const Conditions& conditions, Numbers& numbers) {
  const auto heads = head_counts(width);
  const auto at = [&](size_t count, HeadLayout layout) {
    return counts_of({.length = kShortText, .width = width, .heads = count}, layout, conditions);
  };
  const auto exponent = [&](HeadLayout layout) {
    return exponent_over(heads, [&](size_t m) { return at(m, layout).products(); });
  };
  const auto ratio = [&](HeadLayout layout) {
    return static_cast<double>(at(heads.back(), layout).products()) / static_cast<double>(at(1, layout).products());
  };
  const Words of_null{"every head of the whole width: m·n²·d", "每个头都用全宽：m·n²·d"};
  const Words of_control{"n²·d in closed form", "闭式 n²·d"};
  numbers.add(Measured("exponent_of_heads",
                       {fmt::format("products at d = {} = m·a, counted: exponent of the number of heads m, 1 to {}",
                                    width, heads.back()),
                        fmt::format("d = {} = m·a 固定，乘积计数：对头数 m（1 至 {}）的指数", width, heads.back())},
                       exponent(HeadLayout::reshaped))
                  .null(exponent(HeadLayout::full_width), of_null)
                  .control(exponent_over(heads, [&](size_t) { return kShortText * kShortText * width; }), of_control));
  numbers.add(Measured("most_heads_over_one",
                       {fmt::format("multiply–adds with {} heads over those with one", heads.back()),
                        fmt::format("{} 个头与 1 个头的乘加次数之比", heads.back())},
                       ratio(HeadLayout::reshaped))
                  .null(ratio(HeadLayout::full_width), of_null)
                  .control(1, of_control));
  numbers.add(Measured("softmax_exponent_of_heads",
                       {"the softmax's exponentials: exponent of m", "softmax 的指数运算：对 m 的指数"},
                       exponent_over(heads, [&](size_t m) { return at(m, HeadLayout::reshaped).exponentials; }))
                  .null(exponent_over(heads, [&](size_t) { return at(1, HeadLayout::loop).exponentials; }),
                        {"one softmax for all heads", "所有头共用一个 softmax"})
                  .control(exponent_over(heads, [](size_t m) { return m; }), {"m·n² in closed form", "闭式 m·n²"}));
  numbers.add(Measured("reshape_difference",
                       {"largest difference of heads by reshape and transpose from heads by a loop",
                        "reshape 加 transpose 的多头与逐头循环之间的最大差"},
                       largest_difference(width, HeadLayout::loop, HeadLayout::reshaped, conditions))
                  .null(largest_difference(width, HeadLayout::loop, HeadLayout::no_transpose, conditions),
                        {"reshaped and not transposed", "只 reshape、不 transpose"})
                  .control(largest_difference(width, HeadLayout::loop, HeadLayout::loop, conditions),
                           {"the loop run twice", "同一循环跑两遍"}));
}

Findings run_attention_cost(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    for (const char* claim : {"Q5", "Q5b"}) {
      findings.gaps[claim] = {"needs a checkpoint, not a table alone", "需要检查点，而不只是一张表"};
    }
    return findings;
  }
  const auto& config = subject.model->config();
  const auto width = static_cast<size_t>(config.hidden_size);
  count_over_sizes(conditions, findings.numbers["Q5"]);
  share_of_layer(config, findings.numbers["Q5"]);
  if (head_counts(width).size() > 1) {
    count_over_heads(width, conditions, findings.numbers["Q5b"]);
  } else {
    findings.gaps["Q5b"] = {"needs a width that two heads can share", "需要能由两个头平分的宽度"};
  }
  conditions.progress(0.2);
  const AttentionTimes times = time_attention(subject, conditions);
  if (conditions.quick) {
    findings.left_out.push_back({"times of 3 repetitions to 256 tokens instead of 9 to 512",
                                 "计时重复 3 次、至 256 个词元，而非 9 次、至 512 个词元"});
  }
  findings.figures = {operations_figure(config), times_figure(times)};
  if (head_counts(width).size() > 1) findings.figures.push_back(heads_figure(width, times, conditions));
  findings.remarks.push_back(
      {"Counts come from counters inside plain loops, on random queries, keys and values. Times stand in figures and "
       "here alone, since numbers and verdicts are the same for the same seed to the last digit.",
       "计数来自朴素循环内部的计数器，查询、键、值为随机数。时间只出现在图和此处：同一种子下数值与结论须逐位相同。"});
  findings.remarks.push_back(exponents_in_words(times, conditions.seed));
  conditions.progress(1);
  return findings;
}

bool is_near(double value, double expected) {
  return std::abs(value - expected) < kExact;
}

Verdict judge_length(const Numbers& numbers) {
  const double own = numbers.value("exponent_of_length");
  const double width = numbers.value("exponent_of_width");
  const double share = numbers.value("share_of_sublayer");
  Verdict verdict;
  const bool told_apart =
      !is_near(numbers.null("exponent_of_length"), 2) && is_near(numbers.control("exponent_of_length"), 2);
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    const bool as_said =
        is_near(own, 2) && is_near(width, 1) && is_near(numbers.value("softmax_exponent_of_length"), 2);
    verdict.observation = as_said ? Observation::holds : Observation::fails;
  }
  const bool largest = verdict.observation == Observation::holds && share >= kAtAll;
  verdict.inference = largest ? Inference::follows : Inference::does_not_follow;
  verdict.reason = {
      fmt::format("counted, scores and average grow as n^{:.2f}·d^{:.2f}; at this checkpoint's longest text they are "
                  "{:.0f} % of the attention sub-layer and {:.0f} % of the layer, whose other parts are linear in n; "
                  "they lead from {:.0f} tokens on",
                  own, width, 100 * share, 100 * numbers.value("share_of_layer"),
                  numbers.value("crossing_with_projections")),
      fmt::format("计数：打分与加权平均按 n^{:.2f}·d^{:.2f} 增长；在此检查点的最长文本上占注意力子层 {:.0f}%、占整层 "
                  "{:.0f}%，其余部分对 n 是线性的；从 {:.0f} 个词元起才占多数",
                  own, width, 100 * share, 100 * numbers.value("share_of_layer"),
                  numbers.value("crossing_with_projections"))};
  return verdict;
}

Verdict judge_heads(const Numbers& numbers) {
  const double exponent = numbers.value("exponent_of_heads");
  const double ratio = numbers.value("most_heads_over_one");
  const double difference = numbers.value("reshape_difference");
  Verdict verdict;
  const bool told_apart = numbers.null("exponent_of_heads") >= kAtAll &&
                          numbers.control("exponent_of_heads") < kAtAll && numbers.null("reshape_difference") > 0;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = exponent >= kAtAll ? Observation::holds : Observation::fails;
  }
  verdict.inference = ratio == 1 ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format(
          "at a fixed width the products grow as m^{:.2f} and the most heads take {:g} × the multiply–adds of one, for "
          "m products of n·a·n are n²·d; only the softmax grows, as m^{:.2f}; heads by reshape and transpose differ "
          "from a loop over heads by {:g}",
          exponent, ratio, numbers.value("softmax_exponent_of_heads"), difference),
      fmt::format("宽度固定时乘积按 m^{:.2f} 增长：最多头与单头的乘加次数之比为 {:g}，因为 m 个 n·a·n 的乘积就是 "
                  "n²·d；只有 softmax 按 m^{:.2f} 增长。reshape 加 transpose 与逐头循环相差 {:g}",
                  exponent, ratio, numbers.value("softmax_exponent_of_heads"), difference)};
  return verdict;
}

Words answer_attention_cost(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("Q5")) return findings.gaps.at("Q5");
  const Numbers& numbers = findings.numbers.at("Q5");
  Words words{
      fmt::format("Scores and weighted average take n²·d, but they are {:.0f} % of the attention sub-layer at this "
                  "checkpoint's longest text; the projections are linear in n.",
                  100 * numbers.value("share_of_sublayer")),
      fmt::format("打分与加权平均为 n²·d，但在此检查点的最长文本上只占注意力子层的 {:.0f}%；投影对 n 是线性的。",
                  100 * numbers.value("share_of_sublayer"))};
  if (findings.numbers.contains("Q5b")) {
    const Numbers& heads = findings.numbers.at("Q5b");
    if (heads.value("most_heads_over_one") == 1) {
      words.en +=
          " Heads do not multiply it: at a fixed width any number of them takes the same multiply–adds; only the "
          "softmax grows with it.";
      words.zh += "头数不会使它成倍增加：宽度固定时，多少个头的乘加次数都相同；只有 softmax 随头数增长。";
    } else {
      words.en +=
          fmt::format(" The most heads take {:g} × the multiply–adds of one.", heads.value("most_heads_over_one"));
      words.zh += fmt::format("最多头的乘加次数是单头的 {:g} 倍。", heads.value("most_heads_over_one"));
    }
  }
  return words;
}

}  // namespace

Experiment attention_cost_experiment() {
  return {
      .name = "attention_cost",
      .effort = 10,
      .title = {"What attention costs", "注意力的代价"},
      .question = {"How does attention's cost grow with length, width and the number of heads?",
                   "注意力的代价怎样随长度、宽度与头数增长？"},
      .definition =
          {"Multi-head attention in plain loops that count each multiply–add and each exponential, with heads by a "
           "loop and by reshape and transpose; exponents by least squares of logarithms. The layer's other parts by "
           "formula: 4n²d for scores and average, 8nd² for four projections, 4ndf for a feed-forward block of inner "
           "width f. Times of the engine and of an attention layer beside.",
           "用朴素循环实现多头注意力，对每次乘加与每次指数运算计数，头分别用循环与 reshape 加 transpose "
           "实现；指数用对数最小二乘拟合。该层其余部分按公式：打分与平均 4n²d，四个投影 8nd²，内宽为 f 的前馈 "
           "4ndf。另附引擎与一层注意力的耗时。"},
      .source = {"document 001, question 5; Vaswani et al. 2017, table 1", "文档 001 第 5 问；Vaswani 等 2017，表 1"},
      .null =
          {"a projection, which is linear in n; heads that each take the whole width; reshaping without transposing",
           "投影（对 n 是线性的）；每个头都用全宽；只 reshape 不 transpose"},
      .control = {"the formulas n²·d and m·n² themselves; the loop run twice",
                  "公式 n²·d 与 m·n² 本身；同一循环跑两遍"},
      .rules =
          {{.claim = "Q5",
            .observation =
                {"of similarities, softmax and average: holds if the counted products have exponent 2 in n and 1 in d "
                 "and the softmax 2 in n, each within .01; fails otherwise; cannot be told if a projection has "
                 "exponent 2 too, or the formula has not",
                 "针对相似度、softmax 与加权平均：乘积计数对 n 的指数为 2、对 d 为 1，softmax 对 n 为 2（误差 .01 "
                 "以内）则成立；否则不成立；若投影的指数也是 2，或公式本身不是，则无法判断"},
            .inference =
                {"that self-attention as a sub-layer takes O(n²d) time follows if these parts are at least half of its "
                 "operations at the checkpoint's longest text; otherwise it does not follow",
                 "若在检查点的最长文本上，这些部分至少占子层运算量的一半，则“自注意力为 "
                 "O(n²d)”推得出；否则推不出"},
            .judge = judge_length},
           {.claim = "Q5b",
            .observation =
                {"holds if, at a fixed width, the counted products have an exponent of at least .5 in m; fails "
                 "otherwise; cannot be told if heads of the whole width have not, the formula n²·d has, or leaving out "
                 "the transpose changes nothing",
                 "宽度固定时，乘积计数对 m 的指数至少为 .5 则成立；否则不成立；若全宽的头也不到 .5，或公式 "
                 "n²·d 反而达到，或省去 transpose 毫无影响，则无法判断"},
            .inference = {"that tensor products make it somewhat less in practice does not follow if the count is the "
                          "same for one head and for the most: there is nothing to save; otherwise not tested",
                          "若单头与最多头的计数相同，则“张量乘法使实际复杂度略低”推不出：本来就没有可省的；否则未检验"},
            .judge = judge_heads}},
      .run = run_attention_cost,
      .answer = answer_attention_cost};
}

}  // namespace summand::lab
