// Q6 and Q6b: is the output tied to the token table, what does that save, and does the nearest row win?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/found.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/tied_output/nearest_rows.hpp"
#include "lab/experiments/tied_output/output_counts.hpp"
#include "lab/experiments/tied_output/output_figures.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/prediction_head.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kMostly = 0.9;        // of vectors: "the nearest row gets the largest probability"
constexpr double kSpreadOfNull = 1.0;  // standard deviation of the logarithm of a row's factor

double rate(const std::vector<Nearest>& found, bool Nearest::*which) {
  return found.empty()
             ? 0
             : static_cast<double>(std::ranges::count(found, true, which)) / static_cast<double>(found.size());
}

/// Vectors that meet the rows: the head's, of masked tokens; without a head the last hidden states of ordinary tokens.
struct Vectors {
  Table rows;                 ///< [vectors, hidden]
  std::vector<size_t> texts;  ///< [vectors], ascending
};

Vectors chosen_states(const Subject& subject, const model::Batch& batch, const std::vector<size_t>& tokens,
                      const std::vector<size_t>& text_of) {
  const std::vector<size_t> last{static_cast<size_t>(subject.model->config().num_hidden_layers)};
  const auto states = std::move(engine::hidden_states(subject.model->engine(), batch, last).front());
  Vectors vectors{.rows = Table(static_cast<Index>(tokens.size()), static_cast<Index>(states.columns())), .texts = {}};
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto row = states.row(tokens[i]);
    for (size_t column = 0; column < row.size(); ++column) {
      vectors.rows(static_cast<Index>(i), static_cast<Index>(column)) = double{row[column]};
    }
    vectors.texts.push_back(text_of[tokens[i]]);
  }
  return vectors;
}

Vectors vectors_of(const Subject& subject, const std::optional<PredictionHead>& head, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "tied output: texts");
  const Texts texts = texts_of(subject, {.most = conditions.quick ? 12U : 60U, .longest = 64}, stream);
  const size_t most = conditions.quick ? 60 : 300;
  std::vector<size_t> tokens;
  if (head && !lacks_masked_language(subject)) {
    const MaskedTexts masked = mask_texts(subject, texts, stream);
    tokens = masked.masked;
    tokens.resize(std::min(tokens.size(), most));
    if (tokens.empty()) return {};
    auto vectors = chosen_states(subject, masked.batch, tokens, texts.text);
    vectors.rows = head->transformed(vectors.rows);
    return vectors;
  }
  for (size_t t = 0; t < texts.special.size(); ++t) {
    if (!texts.special[t]) tokens.push_back(t);
  }
  stream.shuffle(std::span(tokens));
  tokens.resize(std::min(tokens.size(), most));
  std::ranges::sort(tokens);
  if (tokens.empty()) return {};
  return chosen_states(subject, texts.batch, tokens, texts.text);
}

Interval interval_of(const std::vector<Nearest>& found, bool Nearest::*which, const Vectors& vectors,
                     const Conditions& conditions) {
  std::vector<std::vector<size_t>> by_text;
  for (size_t i = 0; i < found.size(); ++i) {
    if (i == 0 || vectors.texts[i] != vectors.texts[i - 1]) by_text.emplace_back();
    by_text.back().push_back(i);
  }
  return bootstrap(by_text.size(),
                   [&](std::span<const size_t> chosen) {
                     std::vector<Nearest> drawn;
                     for (const size_t text : chosen) {
                       for (const size_t i : by_text[text]) drawn.push_back(found[i]);
                     }
                     return rate(drawn, which);
                   },
                   {.seed = conditions.seed, .name = "tied output: bootstrap", .count = 500});
}

/// Own rows, rows of widely spread norms, rows of one norm; each as they lie and seen from the mean row.
std::vector<DecoderRows> sets_of(const Table& rows, const Vector& bias, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "tied output: null");
  const Vector one = Vector::Ones(rows.rows());
  Vector spread(rows.rows());
  for (double& factor : spread) factor = std::exp(kSpreadOfNull * stream.normal());
  std::vector<DecoderRows> sets;
  for (const Origin origin : {Origin::raw, Origin::mean_row}) {
    sets.push_back({.rows = rows, .scale = one, .bias = bias, .origin = origin});
    sets.push_back({.rows = rows, .scale = spread, .bias = bias, .origin = origin});
    const Vector norms =
        sets.front().origin == origin ? sets.front().norms() : DecoderRows{rows, one, bias, origin}.norms();
    sets.push_back({.rows = rows, .scale = norms.cwiseMax(1e-12).cwiseInverse(), .bias = 0 * bias, .origin = origin});
  }
  return sets;
}

const Words kSpreadWords{"rows times e^z, z normal: norms spread widely", "各行乘以 e^z（z 服从正态）：模长悬殊"};
const Words kEqualWords{"rows of one norm, no bias", "各行模长相同、无偏置"};

OutputRates measure_nearest(const Vectors& vectors, const Table& rows, const std::optional<PredictionHead>& head,
                            const Conditions& conditions, Numbers& numbers) {
  const Vector bias = head ? head->bias : Vector::Zero(rows.rows()).eval();
  const auto sets = sets_of(rows, bias, conditions);
  const auto found = nearest_rows(vectors.rows, sets);
  OutputRates shown;
  const auto add = [&](const char* name, const Words& measure, bool Nearest::*which, Origin origin) {
    const size_t first = origin == Origin::raw ? 0 : 3;
    const double own = rate(found[first], which);
    numbers.add(Measured(name,
                         {"share of vectors whose winner is the nearest row: " + measure.en,
                          "胜者即最近行的向量占比：" + measure.zh},
                         own)
                    .interval(interval_of(found[first], which, vectors, conditions))
                    .null(rate(found[first + 1], which), kSpreadWords)
                    .control(rate(found[first + 2], which), kEqualWords));
    shown.push_back({measure, own, rate(found[first + 1], which), rate(found[first + 2], which)});
  };
  add("nearest_cosine", {"by cosine", "按余弦"}, &Nearest::cosine, Origin::raw);
  add("nearest_distance", {"by distance", "按距离"}, &Nearest::distance, Origin::raw);
  if (head) {
    add("nearest_cosine_without_bias", {"by cosine, without the bias", "按余弦，不计偏置"},
        &Nearest::cosine_without_bias, Origin::raw);
    add("nearest_distance_without_bias", {"by distance, without the bias", "按距离，不计偏置"},
        &Nearest::distance_without_bias, Origin::raw);
  }
  add("nearest_cosine_centred", {"by cosine, seen from the mean row", "按余弦，以均值行为原点"}, &Nearest::cosine,
      Origin::mean_row);
  add("nearest_distance_centred", {"by distance, seen from the mean row", "按距离，以均值行为原点"}, &Nearest::distance,
      Origin::mean_row);
  const auto spread = [](const DecoderRows& set) {
    const Vector norms = set.norms();
    return standard_deviation(elements(norms)) / mean(elements(norms));
  };
  numbers.add(Measured("spread_of_norms",
                       {"deviation of the rows' norms over their mean", "各行模长的标准差与均值之比"}, spread(sets[0]))
                  .null(spread(sets[1]), kSpreadWords)
                  .control(spread(sets[2]), kEqualWords));
  if (head) {
    numbers.add(Measured("spread_of_bias",
                         {"deviation of the bias over that of the logits without it",
                          "偏置的标准差与无偏置 logit 的标准差之比"},
                         standard_deviation(elements(bias)) / std::max(1e-300, deviation_of_logits(vectors.rows, rows)))
                    .null(1, {"a bias as uneven as the logits", "与 logit 同样起伏的偏置"})
                    .control(0, {"no bias", "无偏置"}));
  }
  return shown;
}

Findings run_tied_output(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model || subject.tokens.rows() == 0) {
    for (const char* claim : {"Q6", "Q6b"}) {
      findings.gaps[claim] = {"needs a checkpoint with a token table", "需要有词元表的检查点"};
    }
    return findings;
  }
  const auto head = prediction_head(subject);
  Numbers& numbers = findings.numbers["Q6"];
  count_parameters(subject, head, numbers);
  const OutputCost cost = output_cost(subject.model->config());
  count_operations(cost, numbers);
  count_pieces(subject, conditions, numbers);
  conditions.progress(0.2);
  if (conditions.quick) {
    findings.left_out.push_back(
        {"60 vectors of 12 texts instead of 300 of 60", "12 个文本的 60 个向量，而非 60 个文本的 300 个"});
  }
  const Table& rows = head ? head->rows : subject.tokens;
  const Vectors vectors =
      rows.cols() == subject.model->config().hidden_size ? vectors_of(subject, head, conditions) : Vectors{};
  if (vectors.rows.rows() == 0) {
    findings.gaps["Q6b"] = {"needs a corpus with ordinary tokens", "需要含普通词元的语料"};
  } else {
    findings.figures.push_back(rates_figure(measure_nearest(vectors, rows, head, conditions, findings.numbers["Q6b"])));
  }
  findings.figures.push_back(cost_figure(cost));
  if (!head) {
    findings.remarks.push_back(
        {"The checkpoint has no masked-language head: the rows are those of its token table, the vectors its last "
         "hidden states of ordinary tokens, which were never trained to meet them, and there is no bias.",
         "此检查点没有掩码语言模型头：行取自词元表，向量取普通词元的末层隐状态（从未为此训练），也没有偏置。"});
  }
  findings.remarks.push_back(
      {"A constant vector added to every row changes no winner, since it adds one number to every logit, but it "
       "changes cosines and distances: hence both origins. The share of common pieces is of two halves of this corpus, "
       "not of two languages.",
       "给每一行加上同一个向量，只会让所有 logit "
       "加上同一个数，胜者不变，余弦与距离却会变：故列出两种原点。共有子词是本语料两半之间的，不是两种语言之间的。"});
  conditions.progress(1);
  return findings;
}

Verdict judge_sharing(const Numbers& numbers) {
  const Number* shared = found(numbers, "decoder_shared");
  const double share = numbers.value("saved_share");
  Verdict verdict;
  if (shared == nullptr || shared->null->value > 0.5) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = shared->value == 1 && share > 0 ? Observation::holds : Observation::fails;
  }
  if (shared == nullptr) {
    verdict.reason = {
        fmt::format("the checkpoint has no decoder to be tied; tying one would save {:.1f} million parameters, {:.0f} "
                    "% of the model with it",
                    numbers.value("saved_millions"), 100 * share),
        fmt::format("此检查点没有可共享的解码层；若有，共享可节省 {:.1f} 百万个参数，占含解码层模型的 {:.0f}%",
                    numbers.value("saved_millions"), 100 * share)};
    return verdict;
  }
  verdict.reason = {
      fmt::format(
          "{:.0f} % of the decoder's rows are the token table's; sharing saves {:.1f} million parameters, {:.0f} % of "
          "the untied model; how fast it converges needs trained controls",
          100 * shared->value, numbers.value("saved_millions"), 100 * share),
      fmt::format("解码层有 {:.0f}% 的行就是词元表的行；共享节省 {:.1f} 百万个参数，占不共享时的 "
                  "{:.0f}%；收敛快慢需要训练对照",
                  100 * shared->value, numbers.value("saved_millions"), 100 * share)};
  return verdict;
}

Verdict judge_nearest(const Numbers& numbers) {
  const Number& cosine = numbers.at("nearest_cosine");
  const Number& distance = numbers.at("nearest_distance");
  Verdict verdict;
  const bool told_apart = cosine.control->value == 1 && distance.control->value == 1 && cosine.null->value < kMostly &&
                          distance.null->value < kMostly;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (cosine.interval->low >= kMostly && distance.interval->low >= kMostly) {
    verdict.observation = Observation::holds;
  } else if (cosine.interval->high < kMostly || distance.interval->high < kMostly) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::holds) verdict.inference = Inference::follows;
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = {
      fmt::format(
          "the winner is the nearest row in {:.0f} % of the vectors by cosine and {:.0f} % by distance, {:.0f} % and "
          "{:.0f} % seen from the mean row; norms spread by {:.2f} of their mean; with equal norms and no bias it is "
          "in all",
          100 * cosine.value, 100 * distance.value, 100 * numbers.value("nearest_cosine_centred"),
          100 * numbers.value("nearest_distance_centred"), numbers.value("spread_of_norms")),
      fmt::format("胜者即最近行的向量：按余弦 {:.0f}%，按距离 {:.0f}%；以均值行为原点时为 {:.0f}% 与 "
                  "{:.0f}%；模长的离散为均值的 {:.2f}；模长相同且无偏置时则全部如此",
                  100 * cosine.value, 100 * distance.value, 100 * numbers.value("nearest_cosine_centred"),
                  100 * numbers.value("nearest_distance_centred"), numbers.value("spread_of_norms"))};
  return verdict;
}

Words answer_tied_output(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("Q6")) return findings.gaps.at("Q6");
  const Numbers& sharing = findings.numbers.at("Q6");
  const bool has_decoder = found(sharing, "decoder_shared") != nullptr;
  const bool saves = sharing.value("saved_millions") > 0;
  Words words;
  if (!has_decoder) {
    words = {
        fmt::format("This checkpoint has no output over words; tying one would save {:.1f} million parameters.",
                    sharing.value("saved_millions")),
        fmt::format("此检查点没有预测词的输出层；若有，共享可省 {:.1f} 百万个参数。", sharing.value("saved_millions"))};
  } else if (saves) {
    words = {fmt::format("The output is tied to the token table, which saves {:.1f} million parameters.",
                         sharing.value("saved_millions")),
             fmt::format("输出层与词元表共享，省下 {:.1f} 百万个参数。", sharing.value("saved_millions"))};
  } else {
    words = {"The output has a table of its own: nothing is saved.", "输出层自有一张表：没有节省。"};
  }
  if (findings.numbers.contains("Q6b")) {
    const Numbers& nearest = findings.numbers.at("Q6b");
    const double cosine = 100 * nearest.value("nearest_cosine");
    const double distance = 100 * nearest.value("nearest_distance");
    words.en += fmt::format(
        " Of {}, {:.0f} % have their largest product with the row nearest by cosine, {:.0f} % with the nearest by "
        "distance; all would, were the rows equally long and without bias.",
        has_decoder ? "the head's vectors" : "the last hidden states", cosine, distance);
    words.zh += fmt::format(
        "{}中，与之乘积最大的行同时是余弦最近行的占 {:.0f}%，是距离最近行的占 {:.0f}%；"
        "若各行等长且无偏置，则全部如此。",
        has_decoder ? "任务头的向量" : "末层隐状态", cosine, distance);
  }
  return words;
}

}  // namespace

Experiment tied_output_experiment() {
  return {
      .name = "tied_output",
      .effort = 6,
      .title = {"The output and the token table", "输出层与词元表"},
      .question = {"Is the output tied to the token table, and does the nearest row win?",
                   "输出层与词元表共享吗？胜出的是最近的那一行吗？"},
      .definition =
          {"Decoder and token table compared row by row; parameters counted. For masked corpus tokens, the vector that "
           "the head multiplies with the decoder's rows: whether the row of the largest logit has the largest cosine, "
           "and the smallest distance. Operations of one predicted token over the vocabulary V: 2Vd for logits, 3V for "
           "the softmax.",
           "逐行比较解码层与词元表，并统计参数量。对语料中被掩码的词元，取任务头与解码层各行相乘的向量：看 logit "
           "最大的行是否余弦最大、距离最小。每预测一个词元对词表 V 的运算量：logit 为 2Vd，softmax 为 3V。"},
      .source = {"document 001, question 6; Press & Wolf 2017", "文档 001 第 6 问；Press 与 Wolf 2017"},
      .null = {"rows whose norms spread widely; a decoder of its own", "模长悬殊的行；自有一张表的解码层"},
      .control = {"rows of one norm without bias, whose winner is the nearest in closed form; the token table itself",
                  "等长且无偏置的行（闭式：胜者必为最近）；词元表自身"},
      .rules =
          {{.claim = "Q6",
            .observation = {"of the output alone, since an encoder has no second embedding: holds if every row of the "
                            "decoder is the token table's and the count is smaller for it; fails otherwise; cannot be "
                            "told without a decoder, or if most rows equal the next token's",
                            "仅就输出层而言（编码器没有第二个嵌入）：解码层每行都是词元表的行且参数量因此减少则成立；否"
                            "则不成立；没"
                            "有解码层，或多数行与下一个词元的行相同，则无法判断"},
            .inference = {"not tested: whether sharing speeds convergence needs trained controls",
                          "未检验：共享是否加快收敛需要训练对照"},
            .judge = judge_sharing},
           {.claim = "Q6b",
            .observation =
                {"holds if the winner is the nearest row by cosine and by distance in at least 90 % of the vectors, "
                 "both intervals above; fails if either interval lies below; otherwise, or if rows of one norm without "
                 "bias do not reach 100 % or rows of spread norms reach 90 %, it cannot be told",
                 "胜者按余弦与按距离都是最近行的向量达到 "
                 "90%（两个区间均在其上）则成立；任一区间在其下则不成立；其余情形"
                 "，或等长无偏置的行不到 100%、模长悬殊的行达到 90%，则无法判断"},
            .inference =
                {"that tied weights make the nearest word the likeliest follows if that holds here, and does not "
                 "follow if it fails: rows are then not of equal magnitude; otherwise not tested",
                 "若成立，则“共享使最接近的词概率最大”推得出；若不成立则推不出：此时各行并非量级相同；其余情形"
                 "未检验"},
            .judge = judge_nearest}},
      .run = run_tied_output,
      .answer = answer_tied_output};
}

}  // namespace summand::lab
