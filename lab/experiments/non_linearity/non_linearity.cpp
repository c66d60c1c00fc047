// Q7: where does the model's non-linearity come from, and are GELU and self-attention all of it?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/non_linearity/affine_runs.hpp"
#include "lab/experiments/non_linearity/source_figures.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr double kNothing = 1e-4;     // 1 − cosine that rounding and a fit of an affine map stay below
constexpr double kClearlyLess = 0.5;  // of the lesser of the two named sources
constexpr double kSomeLeft = 0.05;    // of the model's own second difference

constexpr std::array kNamed{Source::gelu, Source::self_attention};
constexpr std::array kOthers{Source::attention_norm, Source::output_norm, Source::input_norm};
constexpr std::array kShown{Source::gelu,           Source::self_attention, Source::softmax,
                            Source::attention_norm, Source::output_norm,    Source::input_norm};

const Replacement kEverything{
    .sources = {Source::gelu, Source::self_attention, Source::attention_norm, Source::output_norm, Source::input_norm}};
const Words kNullWords{"the value projection replaced by its fit: it is affine", "把值投影换成其拟合：它本就是仿射的"};
const Words kControlWords{"all sources replaced at once", "全部来源同时替换"};

std::string name_of(Source source) {
  switch (source) {
    case Source::gelu:
      return "gelu";
    case Source::self_attention:
      return "self_attention";
    case Source::softmax:
      return "softmax";
    case Source::attention_norm:
      return "attention_norm";
    case Source::output_norm:
      return "output_norm";
    case Source::input_norm:
      return "input_norm";
    case Source::value:
      return "value";
  }
  __builtin_unreachable();
}

Interval interval_of(const std::vector<double>& changes, const Conditions& conditions, const std::string& name) {
  return bootstrap(changes.size(),
                   [&](std::span<const size_t> chosen) {
                     double sum = 0;
                     for (const size_t i : chosen) sum += changes[i];
                     return sum / static_cast<double>(chosen.size());
                   },
                   {.seed = conditions.seed, .name = "non-linearity: " + name, .count = 500});
}

/// Every source in all layers: sentence vectors, and the loss where there is a head.
std::vector<ReplacedSource> measure_sources(const AffineRuns& runs, const Conditions& conditions, Numbers& numbers) {
  const auto own = runs.run({});
  const auto null = runs.run({.sources = {Source::value}});
  const auto all = runs.run(kEverything);
  const double null_change = mean(changes_of(own, null));
  const double all_change = mean(changes_of(own, all));
  std::vector<ReplacedSource> shown;
  for (const Source source : kShown) {
    const auto replaced = runs.run({.sources = {source}});
    const auto changes = changes_of(own, replaced);
    const Words what = words_of(source);
    numbers.add(Measured(name_of(source),
                         {fmt::format("{}: 1 − cosine of sentence vectors, replaced in all layers", what.en),
                          fmt::format("{}：所有层替换后句向量的 1 − 余弦", what.zh)},
                         mean(changes))
                    .interval(interval_of(changes, conditions, name_of(source)))
                    .null(null_change, kNullWords)
                    .control(all_change, kControlWords));
    shown.push_back({what, mean(changes), relative_error(own, replaced)});
    if (!own.scores) continue;
    numbers.add(Measured(name_of(source) + "_loss",
                         {fmt::format("{}: added loss, nats", what.en), fmt::format("{}：损失增加（奈特）", what.zh)},
                         replaced.scores->mean_loss() - own.scores->mean_loss())
                    .null(null.scores->mean_loss() - own.scores->mean_loss(), kNullWords)
                    .control(all.scores->mean_loss() - own.scores->mean_loss(), kControlWords));
    numbers.add(Measured(name_of(source) + "_accuracy",
                         {fmt::format("{}: accuracy lost", what.en), fmt::format("{}：正确率下降", what.zh)},
                         own.scores->accuracy() - replaced.scores->accuracy())
                    .null(own.scores->accuracy() - null.scores->accuracy(), kNullWords)
                    .control(own.scores->accuracy() - all.scores->accuracy(), kControlWords));
  }
  shown.push_back({kControlWords, all_change, relative_error(own, all)});
  shown.push_back({words_of(Source::value), null_change, relative_error(own, null)});
  return shown;
}

void measure_heads(const AffineRuns& runs, Numbers& numbers) {
  if (const auto pooler = runs.pooler()) {
    numbers.add(Measured("pooler_tanh",
                         {"the pooler's tanh: 1 − cosine of the pooled output, which sentence vectors do not read",
                          "池化层的 tanh：池化输出的 1 − 余弦（句向量不读它）"},
                         pooler->replaced)
                    .null(pooler->null, {"its dense layer replaced by its fit", "把其全连接层换成拟合"})
                    .control(pooler->control, {"its mean for every text", "对每个文本都取其均值"}));
  }
  if (const auto head = runs.head()) {
    const auto add = [&](const char* name, const Words& label, double value) {
      numbers.add(Measured(name, label, value)
                      .null(head->null, {"the head's dense layer replaced by its fit", "把任务头的全连接层换成拟合"})
                      .control(head->both, {"activation and normalisation of the head both replaced",
                                            "任务头的激活与归一化同时替换"}));
    };
    add("head_gelu_loss", {"the head's activation: added loss, nats", "任务头的激活：损失增加（奈特）"}, head->gelu);
    add("head_norm_loss", {"the head's normalisation: added loss, nats", "任务头的归一化：损失增加（奈特）"},
        head->norm);
  }
}

void measure_curvature(const AffineRuns& runs, Numbers& numbers) {
  const double own = runs.second_difference({});
  const double none = runs.second_difference(kEverything);
  const double two = runs.second_difference({.sources = {kNamed.begin(), kNamed.end()}});
  numbers.add(
      Measured(
          "curvature_without_the_two",
          {"curvature of the last hidden states (second differences over first ones), with GELU and self-attention "
           "replaced",
           "GELU 与自注意力都替换后，末层状态的曲率（二阶差分与一阶差分之比）"},
          two)
          .null(own, {"nothing replaced", "什么都不替换"})
          .control(none, kControlWords));
}

/// Every source in each layer alone; their means over layers as numbers.
std::vector<AtLayer> measure_layers(const AffineRuns& runs, const Conditions& conditions, Numbers& numbers) {
  std::vector<AtLayer> found;
  const auto own = runs.run_few({});
  const auto layers = static_cast<double>(runs.layers());
  std::array<double, kByLayer.size()> means{};
  double null = 0;
  double control = 0;
  for (size_t layer = 0; layer < runs.layers(); ++layer) {
    const auto change = [&](const std::set<Source>& sources) {
      return mean(changes_of(own, runs.run_few({.sources = sources, .layer = layer})));
    };
    for (size_t i = 0; i < kByLayer.size(); ++i) {
      found.push_back({kByLayer[i], layer, change({kByLayer[i]})});
      means[i] += found.back().change / layers;
    }
    null += change({Source::value}) / layers;
    control += change(kEverything.sources) / layers;
    conditions.progress(0.5 + 0.5 * static_cast<double>(layer + 1) / layers);
  }
  for (size_t i = 0; i < kByLayer.size(); ++i) {
    const Words what = words_of(kByLayer[i]);
    numbers.add(Measured(name_of(kByLayer[i]) + "_one_layer",
                         {fmt::format("{}: the same, replaced in one layer, mean over layers", what.en),
                          fmt::format("{}：同上，每次只换一层，各层平均", what.zh)},
                         means[i])
                    .null(null, kNullWords)
                    .control(control, kControlWords));
  }
  return found;
}

Findings run_non_linearity(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const bool has_layers = subject.model && subject.model->config().num_hidden_layers > 0;
  const auto texts = has_layers ? affine_texts(subject, conditions) : std::nullopt;
  if (!texts) {
    findings.gaps["Q7"] = {"needs a checkpoint with a layer and a corpus of at least two texts",
                           "需要至少一层的检查点，以及至少两个文本的语料"};
    return findings;
  }
  const AffineRuns runs(subject, *texts, conditions.seed);
  conditions.progress(0.2);
  Numbers& numbers = findings.numbers["Q7"];
  findings.figures.push_back(sources_figure(measure_sources(runs, conditions, numbers)));
  measure_heads(runs, numbers);
  measure_curvature(runs, numbers);
  conditions.progress(0.5);
  findings.figures.push_back(layers_figure(measure_layers(runs, conditions, numbers)));
  if (conditions.quick) {
    findings.left_out.push_back(
        {"8 texts of at most 16 tokens to fit and 8 to measure, 2 for single layers, instead of 24, 24 and 8 of at "
         "most 32",
         "拟合与测量各用 8 个不超过 16 个词元的文本、逐层 2 个，而非各 24 个与 8 个不超过 32 个词元"});
  }
  findings.remarks.push_back(
      {"Fits are made on half of the texts and measured on the other half. GELU, tanh and normalisations: least "
       "squares of each output coordinate on the same input coordinate, a normalisation's input less its mean. "
       "Self-attention: each head's mean weight on the token itself, on the first and on the last, the rest shared "
       "evenly. Softmax: 1/n + slope · (score − row mean)/n, which leaves products of scores and values.",
       "拟合用一半文本，测量用另一半。GELU、tanh "
       "与归一化：每个输出坐标对同一输入坐标做最小二乘，归一化的输入先减去其均值。自注意力：每个头对词元自身、首个、末"
       "个"
       "的平均权重，其余均分。softmax：1/n + 斜率 ·（分数 − 行均值）/n，分数与值的乘积仍在。"});
  if (lacks_masked_language(subject)) {
    findings.remarks.push_back(
        {"There is no masked-language head: changes are those of states and sentence vectors, not of a loss.",
         "没有掩码语言模型头：变化以隐状态与句向量计，而非损失。"});
  }
  conditions.progress(1);
  return findings;
}

template <class Sources>
std::vector<double> values_of(const Numbers& numbers, const Sources& sources) {
  std::vector<double> values;
  for (const Source source : sources) values.push_back(numbers.value(name_of(source)));
  return values;
}

Verdict judge_non_linearity(const Numbers& numbers) {
  const double least = std::ranges::min(values_of(numbers, kNamed));
  const double other = std::ranges::max(values_of(numbers, kOthers));
  const double left = numbers.value("curvature_without_the_two");
  const double own = numbers.null("curvature_without_the_two");
  const double none = numbers.control("curvature_without_the_two");
  Verdict verdict;
  if (numbers.null("gelu") > kNothing || numbers.control("gelu") <= kNothing || least <= kNothing) {
    verdict.observation = Observation::cannot_be_told;
  } else if (other >= least) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = other < kClearlyLess * least ? Observation::holds : Observation::cannot_be_told;
  }
  if (own > 0 && none < kSomeLeft * own) {
    verdict.inference = left >= kSomeLeft * own ? Inference::does_not_follow : Inference::follows;
  }
  const double share = own > 0 ? 100 * left / own : 0;
  verdict.reason = {
      fmt::format(
          "made affine in all layers, GELU changes sentence vectors by {:.3f} (1 − cosine) and self-attention by "
          "{:.3f}; the normalisations after attention, after feed-forward and of the input by {:.3f}, {:.3f} and "
          "{:.3f} (after feed-forward, one layer at a time: {:.3f}); with the two named ones replaced {:.0f} % of the "
          "model's curvature is left",
          numbers.value("gelu"), numbers.value("self_attention"), numbers.value("attention_norm"),
          numbers.value("output_norm"), numbers.value("input_norm"), numbers.value("output_norm_one_layer"), share),
      fmt::format(
          "在所有层变成仿射后，句向量的 1 − 余弦：GELU {:.3f}，自注意力 {:.3f}；注意力后、前馈后与首个归一化分别为 "
          "{:.3f}、{:.3f}、{:.3f}（前馈后，每次一层：{:.3f}）；两个被点名的来源都替换后，仍剩 {:.0f}% 的曲率",
          numbers.value("gelu"), numbers.value("self_attention"), numbers.value("attention_norm"),
          numbers.value("output_norm"), numbers.value("input_norm"), numbers.value("output_norm_one_layer"), share)};
  return verdict;
}

Words answer_non_linearity(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q7")) return findings.gaps.at("Q7");
  const Numbers& numbers = findings.numbers.at("Q7");
  const bool complete = verdicts.at("Q7").inference == Inference::follows;
  const double own = numbers.null("curvature_without_the_two");
  const double left = own > 0 ? 100 * numbers.value("curvature_without_the_two") / own : 0;
  return {
      fmt::format(
          "{} With both made affine {:.0f} % of the model's curvature is left, and none once the normalisations are "
          "affine too. Alone, GELU moves sentence vectors by {:.2f} (1 − cosine), self-attention by {:.2f}, the "
          "normalisations by up to {:.2f}.",
          complete ? "From GELU and self-attention almost alone." : "Not from GELU and self-attention alone.", left,
          numbers.value("gelu"), numbers.value("self_attention"), std::ranges::max(values_of(numbers, kOthers))),
      fmt::format("{}二者都变成仿射后仍剩 {:.0f}% 的曲率，归一化也变成仿射后才为零。单独替换时，句向量的 1 − 余弦："
                  "GELU {:.2f}，自注意力 {:.2f}，归一化最多 {:.2f}。",
                  complete ? "几乎全部来自 GELU 与自注意力。" : "不只来自 GELU 与自注意力。", left,
                  numbers.value("gelu"), numbers.value("self_attention"),
                  std::ranges::max(values_of(numbers, kOthers)))};
}

}  // namespace

Experiment non_linearity_experiment() {
  return {
      .name = "non_linearity",
      .effort = 20,
      .title = {"Where the non-linearity comes from", "非线性来自哪里"},
      .question = {"Does BERT's non-linearity come from GELU and self-attention alone?",
                   "BERT 的非线性只来自 GELU 与自注意力吗？"},
      .definition =
          {"Each source is replaced by its best affine fit: GELU, self-attention (and its softmax alone), each "
           "normalisation, the pooler's tanh, the head; in all layers at once, then layer by layer. Measured: 1 − "
           "cosine of sentence vectors, relative error of last hidden states, loss with a head. Curvature: f(x+u+v) − "
           "f(x+u) − f(x+v) + f(x) over the first differences, u and v random of half the sum's deviation; an affine f "
           "has none.",
           "把每个来源换成最佳仿射拟合：GELU、自注意力（及其中的 softmax）、各归一化、池化层的 "
           "tanh、任务头；先在所有层，再逐层。测量：句向量的 1 − 余弦、末层状态的相对误差、有任务头时的损失。曲率："
           "f(x+u+v) − f(x+u) − f(x+v) + f(x) 与一阶差分之比，u、v 为随机方向，大小为输入和标准差的一半；仿射的 f "
           "没有曲率。"},
      .source = {"document 001, question 7", "文档 001 第 7 问"},
      .null = {"the value projection replaced by its fit: it is affine already; for curvature, the model as it is",
               "把值投影换成其拟合：它本就是仿射的；对曲率而言，模型原样"},
      .control = {"all sources replaced at once: a purely affine model", "全部来源同时替换：纯仿射模型"},
      .rules =
          {{.claim = "Q7",
            .observation =
                {"as a list of the sources that matter: fails if one of the normalisations changes sentence vectors at "
                 "least as much as the lesser of GELU and self-attention; holds if none does half as much; otherwise, "
                 "or if the null changes more than 1e-4 or the control or either source does not, it cannot be told",
                 "作为主要来源的清单：若有归一化使句向量的变化不小于 GELU "
                 "与自注意力中较小者，则不成立；若都不到其一半，则成立；其余情形，或零对照的变化超过 "
                 "1e-4，或正对照、任一来源没有超过，则无法判断"},
            .inference =
                {"that these two are all of it follows if, both replaced, less than 5 % of the model's curvature is "
                 "left; does not follow otherwise; not tested if the curvature does not vanish with everything "
                 "replaced",
                 "二者都替换后，剩下的曲率不到 5%，则“仅此二者”推得出；否则推不出；若全部替换后曲率仍不消失，则未检验"},
            .judge = judge_non_linearity}},
      .run = run_non_linearity,
      .answer = answer_non_linearity};
}

}  // namespace summand::lab
