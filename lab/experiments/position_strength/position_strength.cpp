// 4.9: does the length of the position rows have anything to do with attention scores?
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/random_stream.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/position_strength/strength_figures.hpp"
#include "lab/experiments/position_strength/strength_numbers.hpp"
#include "lab/experiments/position_strength/strength_outputs.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr double kLittle = 0.01;  // of the divergence from uniform attention: too little to be seen in a figure
constexpr double kMuch = 0.05;    // of the same: what no reader would call "little"
constexpr size_t kShortest = 4;   // tokens: fewer leave attention little choice

model::Batch first_texts(const model::Batch& batch, size_t count) {
  model::Batch few;
  for (size_t text = 0; text < std::min(count, batch.texts()); ++text) {
    const size_t begin = batch.offsets[text];
    few.add(std::span(batch.ids).subspan(begin, batch.length(text)),
            std::span(batch.segments).subspan(begin, batch.length(text)));
  }
  return few;
}

void add_remarks(const Conditions& conditions, const StrengthModels& models, Findings& findings) {
  if (conditions.quick) {
    findings.left_out.push_back(
        {"5 texts of 24 tokens instead of 24 of 64, 3 of them through taps instead of 10; 3 "
         "strengths instead of 7; 100 bootstrap samples instead of 500",
         "5 个长 24 的文本而非 24 个长 64 的，其中 3 个而非 10 个经观测点；强度 3 档而非 7 档；自助样本 "
         "100 个而非 500 个"});
  }
  const double spread = findings.numbers.at("4.9").value("cross_spread");
  findings.remarks.push_back(
      {fmt::format("TUPE's figure 2 shows cross terms as nearly uniform, of one batch. Here they have {:.2f} of the "
                   "logits' variance over keys; 0 would be uniform. Parts are centred, which moves what is common to "
                   "all tokens or positions into terms of its own; in raw parts it counts as a cross term.",
                   spread),
       fmt::format(
           "TUPE 图 2 据一个批次显示交叉项近乎均匀。此处其方差为 logits 在各键间方差的 {:.2f}；0 才是均匀。各部分已"
           "中心化，词元或位置的共有成分单列为项；不中心化时它们算在交叉项里。",
           spread)});
  findings.remarks.push_back(
      {"A divergence is Σ a ln(a/b) from the model's own attention a, the mean over queries, heads and texts, beside "
       "that from attention alike everywhere. No loss is measured with terms of the logits at 0.",
       "散度是从模型自身的注意力 a 出发的 Σ a "
       "ln(a/b)，对查询、头与文本取平均，并与到均匀注意力的散度相比。各项置零时不测损"
       "失。"});
  if (!models.own.undisturbed().has_loss()) {
    findings.remarks.push_back(
        {"The checkpoint has no masked-language head: no loss is measured.", "检查点没有掩码语言模型头：不测损失。"});
  }
}

/// What keeps it from being measured, if anything does.
std::optional<Words> lacks_strength(const Subject& subject, const Texts& texts) {
  if (subject.model->config().num_hidden_layers < 1) return Words{"needs a layer", "需要至少一层"};
  if (texts.batch.texts() < 2)
    return Words{"needs a corpus with two texts of 4 tokens", "需要至少含两个 4 词元文本的语料"};
  return {};
}

Findings run_position_strength(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  const StrengthSize size = StrengthSize::of(conditions);
  RandomStream stream(conditions.seed, "position strength: texts");
  Texts texts = lacking
                    ? Texts{}
                    : texts_of(subject, {.most = size.texts, .longest = size.longest, .shortest = kShortest}, stream);
  for (int32_t& segment : texts.batch.segments) {
    segment = std::min(segment, static_cast<int32_t>(subject.segments.rows() - 1));
  }
  if (!lacking) lacking = lacks_strength(subject, texts);
  if (lacking) {
    findings.gaps["4.9"] = *lacking;
    return findings;
  }
  const FirstLogits logits(subject);
  Numbers& numbers = findings.numbers["4.9"];
  const Draws draws{.seed = conditions.seed,
                    .name = "position strength: bootstrap ",
                    .count = size.resamplings,
                    .threads = threads_of(conditions)};
  findings.figures.push_back(terms_figure(add_logit_numbers(logits, texts.batch, conditions, draws, numbers)));
  conditions.progress(0.5);
  const StrengthModels models(subject, texts, conditions);
  add_outputs(models, draws, numbers);
  conditions.progress(0.6);
  const auto watched = first_texts(texts.batch, size.watched);
  add_layers(models, watched, conditions, findings);
  conditions.progress(0.8);
  add_zeroed_outputs(subject, logits, watched, conditions, numbers);
  add_remarks(conditions, models, findings);
  conditions.progress(1);
  return findings;
}

Verdict judge_position_strength(const Numbers& numbers) {
  const auto& half = numbers.at("moved_by_halving");
  const auto& twice = numbers.at("moved_by_doubling");
  Verdict verdict;
  const bool told_apart = numbers.null("moved_by_doubling") >= kMuch && numbers.control("moved_by_doubling") < kLittle;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (half.interval->high < kLittle && twice.interval->high < kLittle) {
    verdict.observation = Observation::holds;
  } else if (half.interval->low >= kMuch || twice.interval->low >= kMuch) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const double norms = numbers.value("position_share_of_norms");
  const double scores = numbers.value("position_share_of_logits");
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  if (verdict.observation == Observation::holds) {
    verdict.inference = (norms > 0.5) == (scores > 0.5) ? Inference::does_not_follow : Inference::follows;
  }
  verdict.reason = {
      fmt::format(
          "halving the position rows moves the first layer's attention by {:.2g} of its divergence from uniform "
          "attention, doubling them by {:.2g}; position has {:.2f} of the two parts' squared norms and {:.2f} of "
          "the variance of their own terms",
          half.value, twice.value, norms, scores),
      fmt::format(
          "位置行减半使首层注意力移动其到均匀注意力散度的 {:.2g}，加倍则为 {:.2g}；位置占两部分平方模长的 {:.2f}，占两"
          "部分自身各项方差的 {:.2f}",
          half.value, twice.value, norms, scores)};
  return verdict;
}

Words answer_position_strength(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.9")) return findings.gaps.at("4.9");
  const Numbers& numbers = findings.numbers.at("4.9");
  Words words{"It cannot be told.", "无法判断。"};
  if (verdicts.at("4.9").observation == Observation::fails) words = {"Yes, it has.", "有关系。"};
  if (verdicts.at("4.9").observation == Observation::holds) words = {"Hardly.", "几乎没有关系。"};
  words.en += fmt::format(
      " Doubling the position rows moves the first layer's attention by {:.2g} of what making it uniform would. But "
      "length is not all: position has {:.2f} of both parts' squared norms and {:.2f} of their own terms' variance; "
      "turned at random, {:.2f}.",
      numbers.value("moved_by_doubling"), numbers.value("position_share_of_norms"),
      numbers.value("position_share_of_logits"), numbers.null("position_share_of_logits"));
  words.zh += fmt::format(
      "位置行加倍，首层注意力的变化是换成均匀注意力时的 {:.2g} 倍。但不只看长度：位置占两部分平方模长的 "
      "{:.2f}，占其自身"
      "各项方差的 {:.2f}；位置随机旋转后，后者为 {:.2f}。",
      numbers.value("moved_by_doubling"), numbers.value("position_share_of_norms"),
      numbers.value("position_share_of_logits"), numbers.null("position_share_of_logits"));
  return words;
}

}  // namespace

Experiment position_strength_experiment() {
  return {
      .name = "position_strength",
      .effort = 25,
      .title = {"Longer rows and attention", "模长与注意力"},
      .question = {"Has the length of position rows anything to do with attention scores?",
                   "位置行的模长与注意力分数有关系吗？"},
      .definition =
          {"Raw position rows times 0 to 3: divergence of every layer's attention from the model's own, over that from "
           "uniform attention; change of sentence vectors. The first layer's logits split exactly into 4 × 4 terms of "
           "token, position, segment and what is common (centred parts, each over the sum's σ): shares of their "
           "variance over keys, and what is lost when terms are 0.",
           "位置行乘以 0 至 3：各层注意力与模型自身的散度，除以到均匀注意力的散度；句向量的变化。首层 logits "
           "精确分解为词元、"
           "位置、片段与公共部分的 4 × 4 项（各部分中心化，除以和的 σ）：在各键间的方差占比，以及置零后的损失。"},
      .source = {"document 004, comments; terms as TUPE (Ke et al. 2020), equation 6",
                 "文档 004 的评论；各项如 TUPE（Ke 等 2020）式 6"},
      .null =
          {"σ held, so that the positions' terms are bilinear in their length; positions turned at random; noise as "
           "long as tokens",
           "σ 固定，位置项对其长度是双线性的；位置随机旋转；与词元等长的噪声"},
      .control = {"queries and keys blind to positions, σ held; no positions; what a softmax does not see",
                  "查询与键看不见位置，σ 固定；没有位置；softmax 看不见的改变"},
      .rules =
          {{.claim = "4.9",
            .observation =
                {"holds if halving and doubling the position rows both move the first layer's attention by less "
                 "than .01 of its divergence from uniform attention (95 % interval below); fails if either moves "
                 "it by .05 or more (interval not below); otherwise, or if the null misses .05 or the control .01, "
                 "it cannot be told",
                 "位置行减半与加倍对首层注意力的移动都不足其到均匀注意力散度的 .01（95% 区间低于它）则成立；任一达到 "
                 ".05（区间不低于它）则不成立；其余情形，或零假设不到 .05、对照达到 .01，则无法判断"},
            .inference =
                {"that the longer of token and position need not contribute more follows if it holds and the "
                 "longer part has less of the variance of their own terms; does not follow if it has more, or if "
                 "the observation fails; otherwise not tested",
                 "若成立，且词元与位置中较长者在各自项的方差中占得较少，则“较长者未必贡献更多”推得出；占得较多或观察不"
                 "成"
                 "立则推不出；否则未检验"},
            .judge = judge_position_strength}},
      .run = run_position_strength,
      .answer = answer_position_strength};
}

}  // namespace summand::lab
