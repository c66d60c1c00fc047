// Q9: what does dividing the dot products by √(head width) do?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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
#include "lab/experiments/score_scale/score_rows.hpp"
#include "lab/probing/attention.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr double kNoChange = 0.99;  // of the null, whose entropy cannot change

Figure heads_figure(const ScoreHeads& heads, size_t per_layer) {
  using namespace chart;
  const auto texts = heads.texts();
  std::vector<size_t> order(heads.of.size());
  std::vector<double> spread(order.size());
  for (size_t h = 0; h < order.size(); ++h) {
    order[h] = h;
    spread[h] = heads.head(h, texts)[place_of(ScoreScale::root)].spread;
  }
  std::ranges::sort(order, [&](size_t a, size_t b) { return spread[a] < spread[b]; });
  std::vector<double> rank;
  std::vector<double> layer;
  std::vector<double> number_of;
  std::vector<double> entropy;
  std::vector<Words> of;
  for (const ScoreScale scale : kScoreScales) {
    for (size_t i = 0; i < order.size(); ++i) {
      const ScoreRows rows = heads.head(order[i], texts)[place_of(scale)];
      rank.push_back(static_cast<double>(i + 1));
      layer.push_back(static_cast<double>(order[i] / per_layer + 1));
      number_of.push_back(static_cast<double>(order[i] % per_layer + 1));
      entropy.push_back(rows.entropy / rows.rows);
      of.push_back(series_of(scale).words);
    }
  }
  Json points =
      mark({{"type", "point"}, {"filled", true}, {"size", 30}},
           of_points({{"x", whole("rank", {"head, by the spread of its logits", "头，按 logit 的离散程度排列"})},
                      {"y", scaled(number("entropy", {"entropy of a row, of ln n", "一行的熵与 ln n 之比"}),
                                   {{"domain", {0, 1}}})}},
                     "of", {"scale", "缩放"},
                     {series_of(ScoreScale::root), series_of(ScoreScale::none), series_of(ScoreScale::width)}));
  points["encoding"]["tooltip"].push_back(number("layer", {"layer", "层"}, "d"));
  points["encoding"]["tooltip"].push_back(number("head", {"head", "头"}, "d"));
  return {
      .name = "score-scale-heads",
      .title = {"Entropy of every head's weights", "每个头的权重的熵"},
      .caption = {"1 spreads the weight evenly over all words, 0 puts it on one.",
                  "1 为均匀分给所有词，0 为全在一个词上。"},
      .specification = std::move(points),
      .data = FigureData{{{"rank", rank}, {"layer", layer}, {"head", number_of}, {"entropy", entropy}, {"of", of}}}};
}

/// One point a head: how far its logits spread, and how much of them still moves the weights.
Figure saturation_figure(const ScoreHeads& own, const ScoreHeads& control) {
  using namespace chart;
  const Series normal{{"unit normal, no scale", "单位正态，不缩放"},
                      {.colour = "@faint", .dash = {1, 3}, .shape = "cross"}};
  const Series normal_scaled{{"unit normal, 1/√a", "单位正态，1/√a"},
                             {.colour = "@purple", .dash = {1, 2}, .shape = "triangle-down"}};
  std::vector<double> spread;
  std::vector<double> gradient;
  std::vector<Words> of;
  const auto add = [&](const ScoreHeads& heads, ScoreScale scale, const Series& series) {
    for (size_t h = 0; h < heads.of.size(); ++h) {
      const ScoreRows rows = heads.head(h, heads.texts())[place_of(scale)];
      spread.push_back(std::max(rows.spread / rows.rows, 1e-3));
      gradient.push_back(rows.gradient / rows.rows);
      of.push_back(series.words);
    }
  };
  add(own, ScoreScale::root, series_of(ScoreScale::root));
  add(own, ScoreScale::none, series_of(ScoreScale::none));
  add(control, ScoreScale::root, normal_scaled);
  add(control, ScoreScale::none, normal);
  return {.name = "score-scale-saturation",
          .title = {"The wider the logits, the less the softmax can learn", "logit 越分散，softmax 能传的梯度越小"},
          .caption = {"One point a head. Without the scale all move right by √a.",
                      "每点一个头。去掉缩放，各点右移 √a 倍。"},
          .specification = mark(
              {{"type", "point"}, {"filled", true}, {"size", 30}},
              of_points(
                  {{"x", logarithmic(number("spread", {"standard deviation of a row's logits", "一行 logit 的标准差"}),
                                     {0.01, 0.1, 1, 10, 100})},
                   {"y", scaled(number("gradient", {"Σ p(1 − p), mean", "Σ p(1 − p)，平均"}), {{"domain", {0, 1}}})}},
                  "of", {"scale", "缩放"},
                  {series_of(ScoreScale::root), series_of(ScoreScale::none), normal_scaled, normal})),
          .data = FigureData{{{"spread", spread}, {"gradient", gradient}, {"of", of}}}};
}

Findings run_score_scale(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    findings.gaps["Q9"] = {"needs a checkpoint, not a table alone", "需要检查点，而不只是一张表"};
    return findings;
  }
  RandomStream stream(conditions.seed, "score scale: texts");
  const Texts texts = texts_of(
      subject, {.most = conditions.quick ? 12U : 60U, .longest = conditions.quick ? 64U : 128U, .shortest = 8}, stream);
  if (texts.batch.texts() < 2) {
    findings.gaps["Q9"] = {"needs two texts of 8 tokens or more", "需要至少两段 8 个词元以上的文本"};
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(
        {"12 texts of at most 64 tokens instead of 60 of at most 128; 50 bootstrap samples "
         "instead of 300",
         "12 段至多 64 个词元的文本，而非 60 段至多 128 个；自助样本 50 个而非 300 个"});
  }
  const ChangedModel model = changed_model(subject);
  const ScoreHeads own = score_heads(model, texts.batch, {});
  conditions.progress(0.3);
  const ScoreHeads null = score_heads(model, texts.batch, equal_keys);
  conditions.progress(0.5);
  const ScoreHeads control = score_heads(model, texts.batch, unit_normal(conditions.seed));
  conditions.progress(0.8);
  auto numbers = numbers_beside(
      readings_of(own),
      {{"each text's keys all equal: logits of a row are equal", "每段文本的 key 全部相等：一行 logit 相等"},
       readings_of(null)},
      {{"queries and keys of independent unit normal coordinates", "各坐标独立、单位正态的 query 与 key"},
       readings_of(control)});
  numbers.front().interval =
      bootstrap(texts.batch.texts(), [&](std::span<const size_t> chosen) { return own.middle(entropy_ratio, chosen); },
                {.seed = conditions.seed,
                 .name = "score scale: texts",
                 .count = conditions.quick ? 50U : 300U,
                 .threads = threads_of(conditions)});
  for (const Number& number : numbers) findings.numbers["Q9"].add(number);
  const auto width = model.config.head_size();
  findings.numbers["Q9"].add(
      Measured("growth_exponent",
               {"exponent with which logits spread as the head widens, first layer, median head",
                "第一层 logit 的离散程度随头宽增长的指数，中位的头"},
               growth_exponent(model, texts.batch, {}))
          .null(growth_exponent(model, texts.batch, equal_keys), numbers.front().null->of)
          .control(growth_exponent(model, texts.batch, unit_normal(conditions.seed)), numbers.front().control->of));
  findings.numbers["Q9"].add(
      Measured("closed_form_spread",
               {"√a: the logits' standard deviation where coordinates are independent, unit normal",
                "√a：各坐标独立且单位正态时 logit 的标准差"},
               std::sqrt(static_cast<double>(width)))
          .null(0, {"equal keys", "key 全部相等"})
          .control(findings.numbers["Q9"].control("unscaled_spread"), {"drawn so, as measured", "按此抽样后的测量值"}));
  findings.figures = {heads_figure(own, static_cast<size_t>(model.config.num_attention_heads)),
                      saturation_figure(own, control)};
  findings.remarks.push_back(
      {fmt::format(
           "A head is a = {} wide. The states are those of the unchanged model; null and control go on with their own. "
           "The document only "
           "asks; what is judged is the usual answer (Vaswani et al. 2017, section 3.2.1): without the scale the "
           "logits spread as √a and the softmax saturates. A query map divided by √a gives the same function "
           "without a scale.",
           width),
       fmt::format(
           "每个头宽 a = "
           "{}。状态取自未改动的模型；零模型与对照沿用各自的状态。文档只提问；此处判断的是通常的回答（Vaswani 等 2017，"
           "3.2.1 节）：不缩放则 logit 按 √a 分散，softmax 饱和。把 query 矩阵除以 √a，不用缩放也得到同一函数。",
           width)});
  conditions.progress(1);
  return findings;
}

Verdict judge_score_scale(const Numbers& numbers) {
  const Interval ratio = numbers.at("entropy_ratio").interval.value();
  Verdict verdict;
  if (numbers.null("entropy_ratio") < kNoChange || numbers.control("entropy_ratio") >= kHalfEntropy) {
    verdict.observation = Observation::cannot_be_told;
  } else if (ratio.high < kHalfEntropy) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = ratio.low >= kHalfEntropy ? Observation::fails : Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = {
      fmt::format(
          "without the scale the median head's logits spread by {:.2f} instead of {:.2f}, its entropy is {:.2f} of "
          "what it was (unit normal: {:.2f}), and {:.1f} % of its rows put over .99 on one word, not {:.1f} %",
          numbers.value("unscaled_spread"), numbers.value("scaled_spread"), numbers.value("entropy_ratio"),
          numbers.control("entropy_ratio"), 100 * numbers.value("unscaled_saturated"),
          100 * numbers.value("scaled_saturated")),
      fmt::format(
          "不缩放时，中位的头的 logit 标准差由 {:.2f} 变为 {:.2f}，熵为原来的 {:.2f}（单位正态为 {:.2f}），单个词占 "
          ".99 以上的行由 {:.1f}% 变为 {:.1f}%",
          numbers.value("scaled_spread"), numbers.value("unscaled_spread"), numbers.value("entropy_ratio"),
          numbers.control("entropy_ratio"), 100 * numbers.value("scaled_saturated"),
          100 * numbers.value("unscaled_saturated"))};
  return verdict;
}

Words answer_score_scale(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q9")) return findings.gaps.at("Q9");
  const Numbers& numbers = findings.numbers.at("Q9");
  const bool holds = verdicts.at("Q9").observation == Observation::holds;
  return {
      fmt::format("{} the median head's entropy falls to {:.2f} of what it was, and {:.0f} % of its rows put nearly "
                  "all weight on one word. The trained weights are used to the scale; whether a model needs it to "
                  "learn, this cannot say.",
                  holds ? "Taking the scale away narrows attention:"
                        : "Taking the scale away does not clearly narrow attention:",
                  numbers.value("entropy_ratio"), 100 * numbers.value("unscaled_saturated")),
      fmt::format("{}中位的头的熵降为原来的 {:.2f}，{:.0f}% 的行几乎把权重全给一个词。训练好的权重已适应了缩放；训练是"
                  "否离不开它，这里答不了。",
                  holds ? "去掉缩放，注意力明显变窄：" : "去掉缩放，注意力没有明显变窄：",
                  numbers.value("entropy_ratio"), 100 * numbers.value("unscaled_saturated"))};
}

}  // namespace

Experiment score_scale_experiment() {
  return {
      .name = "score_scale",
      .effort = 4,
      .title = {"What the scale of attention does", "注意力缩放的作用"},
      .question = {"What happens to the attention weights without the division by √a?",
                   "不除以 √a，注意力权重会怎样？"},
      .definition = {"For every head and row: the standard deviation of its logits, the entropy of its weights over ln "
                     "n, whether one "
                     "word has over .99, and Σ p(1 − p), with logits divided by √a (a: width of a head) as trained, "
                     "not divided, and "
                     "divided by a. Head by head over the corpus' texts; the median head is given.",
                     "对每个头、每一行：logit 的标准差、权重的熵与 ln n 之比、是否有词占 .99 以上、Σ p(1 − p)；logit "
                     "分别按训练时除以 "
                     "√a（a 为头宽）、不除、除以 a。逐头在语料文本上计算，给出中位的头。"},
      .source = {"document 001, question 9; Vaswani et al. 2017, section 3.2.1",
                 "文档 001 第 9 问；Vaswani 等 2017，3.2.1 节"},
      .null = {"all keys of a text equal: no scale changes the weights",
               "一段文本的 key 全部相等：任何缩放都不改变权重"},
      .control = {"queries and keys of independent unit normal coordinates: logits spread by √a, and by 1 when scaled",
                  "各坐标独立、单位正态的 query 与 key：logit 的标准差为 √a，缩放后为 1"},
      .rules =
          {{.claim = "Q9",
            .observation =
                {"the usual answer holds if without the scale the median head's entropy falls below half (interval "
                 "over "
                 "texts); fails if it stays above; otherwise, or if the null's entropy changes or the control's does "
                 "not fall by half, it cannot be told",
                 "通常的回答：若不缩放时中位的头的熵降到一半以下（文本自助区间）则成立；保持在一半以上则不成立；其余情"
                 "形，"
                 "或零模型的熵有变化、对照的熵未减半时，无法判断"},
            .inference =
                {"that learning needs the scale does not follow if the weights do not narrow without it; otherwise not "
                 "tested: the query map can take the scale over, and only training compares",
                 "若不缩放权重也不变窄，则“学习离不开缩放”推不出；否则未检验：query 矩阵可以吸收缩放，只有训练能比较"},
            .judge = judge_score_scale}},
      .run = run_score_scale,
      .answer = answer_score_scale};
}

}  // namespace summand::lab
