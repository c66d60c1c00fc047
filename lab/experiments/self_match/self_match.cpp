// Q1: without the maps of queries, keys and values, does every word look at itself?
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
#include "lab/experiments/self_match/own_match.hpp"
#include "lab/experiments/self_match/self_match_figures.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr double kLargest = 0.95;       // of the words: "the largest"
constexpr double kMostOfWeight = 0.5;   // "most of the weight", and most words
constexpr double kPlantedLogit = 1000;  // of the control: e^(−1000·(1 − cos)) is nothing at any cosine below .99
constexpr double kSpread = 0.2;         // of the logarithm of the norms

/// The same run of a model, of its null and of its control.
struct Matched {
  OwnMatches own;
  OwnMatches null;
  OwnMatches control;
};

Matched matched(const ChangedModel& model, const model::Batch& batch, const ChangeQueryKey& change, uint64_t seed) {
  const auto engine = model.engine(1);
  const auto heads = static_cast<size_t>(model.config.num_attention_heads);
  return {.own = own_matches(engine, batch, change),
          .null = own_matches(engine, batch, both(change, shuffled_keys(seed))),
          .control = own_matches(engine, batch, equal_norms(heads, kPlantedLogit))};
}

const Words& words_of_null() {
  static const Words words{"keys of each text in random order", "每段文本的 key 打乱次序"};
  return words;
}
const Words& words_of_control() {
  static const Words words{"queries put equal to keys of one norm, own logits 1,000",
                           "query 取为与之相等、同一模长的 key，自身 logit 为 1000"};
  return words;
}

/// Three numbers of what `part` takes from a run.
template <class Part>
void add(Numbers& numbers, const Matched& matched, const std::string& name, const Words& of, const Part& part) {
  for (Number& number : numbers_beside(readings_of(part(matched.own), name, of),
                                       {words_of_null(), readings_of(part(matched.null), name, of)},
                                       {words_of_control(), readings_of(part(matched.control), name, of)})) {
    numbers.add(std::move(number));
  }
}

OwnMatch first_of(const OwnMatches& matches) {
  return matches.layer(0);
}
OwnMatch all_of(const OwnMatches& matches) {
  return matches.all();
}

/// The head that looks at itself most.
double largest_head(const OwnMatches& matches) {
  double largest = 0;
  for (size_t layer = 0; layer < matches.layers; ++layer) {
    for (size_t h = 0; h < matches.heads; ++h) {
      const OwnMatch head = matches.head(layer, h);
      largest = std::max(largest, head.weight / head.rows);
    }
  }
  return largest;
}

Interval over_texts(const OwnMatches& matches, double OwnMatch::*what, const Conditions& conditions) {
  return bootstrap(matches.texts(),
                   [&](std::span<const size_t> chosen) {
                     const OwnMatch match = matches.chosen(0, chosen);
                     return match.*what / match.rows;
                   },
                   {.seed = conditions.seed,
                    .name = "self match: texts",
                    .count = conditions.quick ? 200U : 1000U,
                    .threads = threads_of(conditions)});
}

void measure_identity(const Matched& one, const Conditions& conditions, Numbers& numbers) {
  Numbers three;
  add(three, one, "own", {"no maps, one head, first layer", "不乘参数矩阵，单头，第一层"}, first_of);
  for (Number number : three.all()) {
    const auto what = number.name == "own_first"    ? &OwnMatch::first
                      : number.name == "own_weight" ? &OwnMatch::weight
                                                    : &OwnMatch::dominates;
    number.interval = over_texts(one.own, what, conditions);
    numbers.add(std::move(number));
  }
  const auto margin = [](const OwnMatches& matches) {
    const OwnMatch first = matches.layer(0);
    return first.margin / first.rows;
  };
  numbers.add(Measured("own_margin",
                       {"own logit less the largest other, of the larger one, mean",
                        "自身 logit 与最大的其他 logit 之差占较大者的比例，平均"},
                       margin(one.own))
                  .null(margin(one.null), words_of_null())
                  .control(margin(one.control), words_of_control()));
}

/// How much the norms differ that Cauchy and Schwarz ask to be equal.
void measure_norms(const Subject& subject, const Texts& texts, const Conditions& conditions, Numbers& numbers) {
  const auto states =
      run_texts(first_layer_of(changed_model(subject)).engine(conditions.threads), texts.batch, SentenceVector::mean);
  const Table& inputs = states.states.front();
  RandomStream stream(conditions.seed, "self match: norms");
  Table spread = inputs;
  Table equal = inputs;
  for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
    const double norm = std::max(inputs.row(i).norm(), 1e-30);
    spread.row(i) *= std::exp(0.5 * stream.normal()) / norm;
    equal.row(i) /= norm;
  }
  numbers.add(
      Measured("norm_spread",
               {"spread of the inputs' norms in a text, of their mean", "文本内输入模长的标准差与均值之比"},
               norm_spread(inputs, texts.batch))
          .null(norm_spread(spread, texts.batch), {"norms drawn with a spread of .5", "模长按 .5 的离散程度抽取"})
          .control(norm_spread(equal, texts.batch), {"equal norms", "模长相等"}));
}

/// What changes with temperature and norms, all without maps.
void sweep(const Subject& subject, const Texts& texts, const Conditions& conditions, Findings& findings) {
  const auto& batch = texts.batch;
  const auto heads = subject.model->config().num_attention_heads;
  const auto one = first_layer_of(with_identity(subject, Identity::queries_keys_values, 1)).engine(1);
  const auto by_heads = first_layer_of(with_identity(subject, Identity::queries_keys_values, heads)).engine(1);
  findings.figures.push_back(
      own_temperature_figure({over_factors(one, batch, {}, kOwnFactors), over_factors(by_heads, batch, {}, kOwnFactors),
                              over_factors(changed_model(subject).engine(1), batch, {}, kOwnFactors),
                              over_factors(one, batch, spread_norms(0, conditions.seed), kOwnFactors)}));
  std::vector<OwnMatch> spread;
  for (const double one_spread : kOwnSpreads) {
    spread.push_back(own_matches(one, batch, spread_norms(one_spread, conditions.seed)).all());
  }
  findings.figures.push_back(own_norms_figure(spread));
}

/// The same with logits a quarter as large, and four times.
void measure_temperature(const ChangedModel& one, const Texts& texts, uint64_t seed, Numbers& numbers) {
  const auto engine = one.engine(1);
  const std::array factors{0.25, 4.0};
  const auto own = over_factors(engine, texts.batch, {}, factors);
  const auto null = over_factors(engine, texts.batch, shuffled_keys(seed), factors);
  const auto control = over_factors(engine, texts.batch, equal_norms(1, kPlantedLogit), factors);
  for (size_t i = 0; i < factors.size(); ++i) {
    const Words of{fmt::format("no maps, logits times {:g}", factors[i]),
                   fmt::format("无参数矩阵，logit 乘 {:g}", factors[i])};
    const std::string name = i == 0 ? "quarter" : "fourfold";
    for (Number& number :
         numbers_beside(readings_of(own[i], name, of), {words_of_null(), readings_of(null[i], name, of)},
                        {words_of_control(), readings_of(control[i], name, of)})) {
      if (number.name != name + "_first") numbers.add(std::move(number));
    }
  }
}

/// First layers that are changed in other ways.
void measure_others(const Subject& subject, const Texts& texts, const Conditions& conditions, Numbers& numbers) {
  const uint64_t seed = conditions.seed;
  const auto heads = subject.model->config().num_attention_heads;
  const auto one = first_layer_of(with_identity(subject, Identity::queries_keys_values, 1));
  measure_temperature(one, texts, seed, numbers);
  add(numbers, matched(one, texts.batch, spread_norms(kSpread, seed), seed), "spread",
      {"no maps, norms spread by .2", "无参数矩阵，模长离散 .2"}, first_of);
  const auto slices = first_layer_of(with_identity(subject, Identity::queries_keys_values, heads));
  add(numbers, matched(slices, texts.batch, {}, seed), "slices",
      {"no maps, by heads, first layer", "无参数矩阵，多头，第一层"}, first_of);
  const auto trained = first_layer_of(changed_model(subject));
  add(numbers, matched(trained, texts.batch, {}, seed), "trained_first_layer",
      {"trained maps, first layer", "训练好的矩阵，第一层"}, first_of);
  add(numbers, matched(trained, texts.batch, keys_from_queries(), seed), "tied",
      {"trained maps, key equal to query, first layer", "训练好的矩阵，key 取为 query，第一层"}, first_of);
  RandomStream stream(seed, "self match: random maps");
  add(numbers, matched(first_layer_of(with_random_maps(subject, stream)), texts.batch, {}, seed), "random_maps",
      {"random maps, first layer", "随机参数矩阵，第一层"}, first_of);
}

Findings run_self_match(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    findings.gaps["Q1"] = {"needs a checkpoint, not a table alone", "需要检查点，而不只是一张表"};
    return findings;
  }
  RandomStream stream(conditions.seed, "self match: texts");
  const Texts texts = texts_of(
      subject, {.most = conditions.quick ? 10U : 60U, .longest = conditions.quick ? 48U : 96U, .shortest = 6}, stream);
  if (texts.batch.texts() < 2) {
    findings.gaps["Q1"] = {"needs two texts of 6 tokens or more", "需要至少两段 6 个词元以上的文本"};
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(
        {"10 texts of at most 48 tokens instead of 60 of at most 96; 200 bootstrap samples "
         "instead of 1,000",
         "10 段至多 48 个词元的文本，而非 60 段至多 96 个；自助样本 200 个而非 1000 个"});
  }
  Numbers& numbers = findings.numbers["Q1"];
  const auto identity = with_identity(subject, Identity::queries_keys_values, 1);
  const Matched carried = matched(identity, texts.batch, {}, conditions.seed);
  measure_identity(carried, conditions, numbers);
  measure_norms(subject, texts, conditions, numbers);
  conditions.progress(0.25);
  add(numbers, carried, "carried", {"no maps, one head, all layers", "无参数矩阵，单头，所有层"}, all_of);
  add(numbers, matched(with_identity(subject, Identity::queries_keys, 1), texts.batch, {}, conditions.seed),
      "carried_values", {"the same with trained values", "同上，value 用训练好的矩阵"}, all_of);
  conditions.progress(0.5);
  const Matched trained = matched(changed_model(subject), texts.batch, {}, conditions.seed);
  add(numbers, trained, "trained", {"trained maps, all layers and heads", "训练好的矩阵，所有层与头"}, all_of);
  numbers.add(
      Measured("trained_largest_head",
               {"mean weight on oneself of the trained head that has most", "训练好的头中自身权重最大者的平均自身权重"},
               largest_head(trained.own))
          .null(largest_head(trained.null), words_of_null())
          .control(largest_head(trained.control), words_of_control()));
  conditions.progress(0.7);
  measure_others(subject, texts, conditions, numbers);
  conditions.progress(0.85);
  sweep(subject, texts, conditions, findings);
  findings.figures.insert(findings.figures.begin() + 1, own_layers_figure(carried.own, trained.own));
  findings.remarks.push_back(
      {"Queries and keys without maps are the normalised inputs themselves. One head has the scale 1/√hidden; by "
       "heads, "
       "slices of the input have 1/√(head width). Hiding each word's own product gives all weight to others without "
       "any "
       "map; whether a model learns so, only training tells.",
       "不乘矩阵时，query 与 key 就是归一化后的输入本身。单头的缩放为 1/√隐层宽度；多头把输入切片，缩放为 1/√头宽。"
       "遮住每个词与自身的乘积，无需任何矩阵就能把权重全给其他词；这样的模型学得如何，只有训练能回答。"});
  conditions.progress(1);
  return findings;
}

bool is_largest_and_most(double first, double dominates) {
  return first >= kLargest && dominates > kMostOfWeight;
}

Verdict judge_self_match(const Numbers& numbers) {
  const Interval first = numbers.at("own_first").interval.value();
  const Interval most = numbers.at("own_dominates").interval.value();
  const bool told_apart = !is_largest_and_most(numbers.null("own_first"), numbers.null("own_dominates")) &&
                          is_largest_and_most(numbers.control("own_first"), numbers.control("own_dominates"));
  Verdict verdict;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (is_largest_and_most(first.low, most.low)) {
    verdict.observation = Observation::holds;
  } else if (first.high < kLargest || most.high <= kMostOfWeight) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const bool tied_leaves_others = numbers.value("tied_dominates") <= kMostOfWeight;
  if (verdict.observation == Observation::fails || tied_leaves_others) {
    verdict.inference = Inference::does_not_follow;
  }
  verdict.reason = {
      fmt::format("without maps the own product is largest for {:.1f} % of the words, and {:.1f} % have over half of "
                  "their weight on themselves (trained: {:.1f} %; trained with keys equal to queries: {:.1f} %)",
                  100 * numbers.value("own_first"), 100 * numbers.value("own_dominates"),
                  100 * numbers.value("trained_dominates"), 100 * numbers.value("tied_dominates")),
      fmt::format("不乘矩阵时，{:.1f}% 的词与自身的乘积最大，{:.1f}% 的词自身权重过半（训练好的矩阵：{:.1f}%；训练好但 "
                  "key 取为 query：{:.1f}%）",
                  100 * numbers.value("own_first"), 100 * numbers.value("own_dominates"),
                  100 * numbers.value("trained_dominates"), 100 * numbers.value("tied_dominates"))};
  return verdict;
}

Words answer_self_match(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q1")) return findings.gaps.at("Q1");
  const Numbers& numbers = findings.numbers.at("Q1");
  Words how{"whether most words are ruled by themselves cannot be told", "是否多数词由自身主导，无法判断"};
  if (verdicts.at("Q1").observation == Observation::holds) how = {"it dominates", "确实占主导"};
  if (verdicts.at("Q1").observation == Observation::fails) how = {"it does not dominate", "并不占主导"};
  const bool tied = numbers.value("tied_dominates") > kMostOfWeight;
  return {fmt::format("Without the maps, a word's own product is largest for {:.0f} % of words and has {:.2f} of the "
                      "weight on average: {}. Trained heads leave it {:.2f}. {}",
                      100 * numbers.value("own_first"), numbers.value("own_weight"), how.en,
                      numbers.value("trained_weight"),
                      tied ? "Whether only different queries and keys can help, training has to tell."
                           : "Keys put equal to trained queries still leave most words' weight to others."),
          fmt::format(
              "去掉参数矩阵后，{:.0f}% 的词与自身的乘积最大，自身权重平均 {:.2f}：{}。训练好的头只留 {:.2f}。{}",
              100 * numbers.value("own_first"), numbers.value("own_weight"), how.zh, numbers.value("trained_weight"),
              tied ? "是否非要不同的 query 与 key 才行，需训练才知道。"
                   : "令 key 等于训练好的 query，多数词的权重仍分给其他词。")};
}

}  // namespace

Experiment self_match_experiment() {
  return {
      .name = "self_match",
      .effort = 8,
      .title = {"Attention without its maps", "没有参数矩阵的注意力"},
      .question = {"Without the query, key and value matrices, does a word attend to itself alone?",
                   "不乘 Q、K、V 矩阵，词是否几乎只关注自身？"},
      .definition =
          {"Query, key and value maps are replaced by the identity, biases by 0; one head, scale 1/√hidden. For every "
           "word of the corpus' texts: is its largest logit its own, and how much weight has it on itself? In the "
           "first "
           "layer and carried through all; by heads; over temperature and spread of norms; beside the trained maps, "
           "the "
           "trained query map for both, and random maps.",
           "把 query、key、value 的矩阵换成单位阵、偏置换成 0；单头，缩放 1/√隐层宽度。对语料中的每个词：最大的 logit "
           "是否落在自身，自身权重多少？分别在第一层与逐层传递后、分头、随温度与模长离散程度计算；并与训练好的矩阵、"
           "query 与 key 共用训练好的 query 矩阵、随机矩阵对照。"},
      .source = {"document 001, question 1; own", "文档 001 第 1 问；自定"},
      .null = {"the keys of each text in random order: nothing matches itself",
               "每段文本的 key 打乱次序：无物与自身匹配"},
      .control = {"queries equal to keys of one norm, own logits 1,000: by Cauchy–Schwarz none is larger",
                  "query 等于同一模长的 key，自身 logit 为 1000：由柯西–施瓦茨不等式无更大者"},
      .rules =
          {{.claim = "Q1",
            .observation =
                {"holds if, with one head in the first layer, the own product is largest for at least 95 % of the "
                 "words and more than half of the words have over half of their weight on themselves (intervals "
                 "over texts beyond both); fails if an interval ends below one of them; otherwise, or if the null "
                 "does so too or the control does not, it cannot be told",
                 "单头、第一层中，若至少 95% 的词与自身的乘积最大，且过半数的词自身权重过半（文本自助区间都在界限之上）"
                 "则成立；任一区间整个低于界限则不成立；其余情形，或零模型也满足、或对照不满足时，无法判断"},
            .inference =
                {"that different queries and keys are what lets context be used does not follow if nothing "
                 "dominates, or if keys put equal to trained queries leave most words' weight to others as well; "
                 "otherwise not tested: hiding the own product needs no map, and only training tells whether it "
                 "suffices",
                 "若自身并不占主导，或令 key 等于训练好的 query 时多数词的权重仍分给其他词，则“query 与 key 不同才能"
                 "利用上下文”推不出；否则未检验：遮住自身的乘积无需矩阵，是否足够只有训练能回答"},
            .judge = judge_self_match}},
      .run = run_self_match,
      .answer = answer_self_match};
}

}  // namespace summand::lab
