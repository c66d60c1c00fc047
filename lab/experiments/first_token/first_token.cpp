// Q4: is [CLS] a fairer average of all words, and does it stand for the sentence?
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/first_token/first_token_figures.hpp"
#include "lab/experiments/first_token/first_token_numbers.hpp"
#include "lab/experiments/first_token/word_influence.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/texts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr size_t kLeastWords = 6;    // of a text whose words have shares
constexpr size_t kLeastHalves = 10;  // of a text that is cut in two
constexpr size_t kLeastTexts = 3;
constexpr size_t kWordDraws = 5;
constexpr double kShareRounding = 1e-9;  // of differences of shares of texts

struct Amounts {
  TextChoice shares;
  TextChoice influence;
  TextChoice readout;
};

Amounts amounts_of(const Conditions& conditions) {
  constexpr size_t kShortest = kLeastWords + 2;
  if (conditions.quick) {
    return {.shares = {.most = 20, .longest = 96, .shortest = kShortest},
            .influence = {.most = 6, .longest = 24, .shortest = kShortest},
            .readout = {.most = 80, .longest = 64, .shortest = kShortest}};
  }
  return {.shares = {.most = 60, .longest = 96, .shortest = kShortest},
          .influence = {.most = 30, .longest = 36, .shortest = kShortest},
          .readout = {.most = 200, .longest = 128, .shortest = kShortest}};
}

/// Only texts with enough ordinary words, whose first token is a special one.
Texts fitting(const Texts& texts) {
  Texts kept;
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    const size_t begin = texts.batch.offsets[text];
    const size_t length = texts.batch.length(text);
    if (ordinary_words(texts, text).size() < kLeastWords || !texts.special[begin]) continue;
    kept.text.insert(kept.text.end(), length, kept.batch.texts());
    kept.batch.add(std::span(texts.batch.ids).subspan(begin, length),
                   std::span(texts.batch.segments).subspan(begin, length));
    for (size_t t = 0; t < length; ++t) kept.special.push_back(texts.special[begin + t]);
  }
  return kept;
}

Texts chosen_texts(const Subject& subject, const TextChoice& choice, uint64_t seed, const char* name) {
  RandomStream stream(seed, std::string("first token: ") + name);
  return fitting(texts_of(subject, choice, stream));
}

/// Where the first token's heads look, mean over heads and texts.
void look(const Texts& texts, const TextAttention& text, std::vector<FirstTokenLook>& layers) {
  layers.resize(text.scores.size());
  const size_t begin = texts.batch.offsets[text.text];
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    const double part = 1 / static_cast<double>(text.scores[layer].size() * texts.batch.texts());
    for (const Table& scores : text.scores[layer]) {
      const Table weights = softmax_rows(scores.topRows(1));
      for (Index j = 0; j < weights.cols(); ++j) {
        const bool special = texts.special[begin + static_cast<size_t>(j)];
        (j == 0 ? layers[layer].itself : special ? layers[layer].special : layers[layer].words) += part * weights(0, j);
      }
    }
  }
}

/// Every word's own and the first one's the first token's: nothing is merged. Or the same share of everything.
Table planted_shares(Index length, Index first_word, bool alone) {
  if (!alone) return Table::Constant(length, length, 1 / static_cast<double>(length));
  Table shares = Table::Identity(length, length);
  shares.row(0).swap(shares.row(first_word));
  shares.row(first_word) = Table::Identity(length, length).row(first_word);
  return shares;
}

std::vector<FirstTokenLook> measure_shares(const Subject& subject, const Conditions& conditions, FirstTokenData& data) {
  const Texts texts = chosen_texts(subject, amounts_of(conditions).shares, conditions.seed, "shares");
  const auto maps = output_maps(subject);
  RandomStream stream(conditions.seed, "first token: words of shares");
  std::vector<FirstTokenLook> layers;
  watch_attention(changed_model(subject).engine(1), texts.batch, {.keep_states = KeepStates::yes},
                  [&](const TextAttention& text) {
                    const auto words = ordinary_words(texts, text.text);
                    const Index drawn = words[stream.below(words.size())];
                    const FlowShares shares = flow_shares(text, maps);
                    const Index length = shares.rollout.rows();
                    data.rollout.push_back(summary_of(shares.rollout, words, drawn));
                    data.norms.push_back(summary_of(shares.norms, words, drawn));
                    data.alone.push_back(summary_of(planted_shares(length, words.front(), true), words, drawn));
                    data.even.push_back(summary_of(planted_shares(length, words.front(), false), words, drawn));
                    look(texts, text, layers);
                  });
  return layers;
}

void measure_influence(const Subject& subject, const Conditions& conditions, FirstTokenData& data) {
  const Texts texts = chosen_texts(subject, amounts_of(conditions).influence, conditions.seed, "influence");
  const auto engine = changed_model(subject).engine(conditions.threads);
  RandomStream stream(conditions.seed, "first token: words of influence");
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    auto words = ordinary_words(texts, text);
    stream.shuffle(std::span(words));
    data.influence.push_back(word_influence(subject, engine, texts, text, words[0], words[1]));
    conditions.progress(0.3 + 0.5 * static_cast<double>(text + 1) / static_cast<double>(texts.batch.texts()));
  }
}

void measure_readouts(const Subject& subject, const Conditions& conditions, FirstTokenData& data) {
  const Texts texts = chosen_texts(subject, amounts_of(conditions).readout, conditions.seed, "readouts");
  const auto engine = changed_model(subject).engine(conditions.threads);
  RandomStream stream(conditions.seed, "first token: readouts");
  const auto both = [&](const TextPairs& pairs) {
    Retrieval retrieval;
    if (pairs.one.batch.texts() < kLeastTexts) return retrieval;
    const Readouts one = readouts(engine, pairs.one, kWordDraws, stream);
    const Readouts other = readouts(engine, pairs.other, kWordDraws, stream);
    return retrieval_of(one, other, stream);
  };
  data.halves = both(halves_of(subject, texts, kLeastHalves));
  data.copies = both(thinned(subject, texts, stream));
}

/// Why it cannot be measured, if it cannot.
std::optional<Words> lacks(const Subject& subject, const Conditions& conditions) {
  if (!subject.model) return Words{"needs a checkpoint, not a table alone", "需要检查点，而不只是一张表"};
  const auto& tokenizer = subject.model->tokenizer();
  if (!tokenizer.mask_id() && !tokenizer.unk_id()) {
    return Words{"the tokenizer has neither a mask nor an unknown token", "分词器既无掩码词元，也无未知词元"};
  }
  const Amounts amounts = amounts_of(conditions);
  for (const TextChoice& choice : {amounts.shares, amounts.influence, amounts.readout}) {
    if (chosen_texts(subject, choice, conditions.seed, "enough").batch.texts() < kLeastTexts) {
      return Words{"needs three texts that begin with a special token and have 6 other tokens",
                   "需要至少三段以特殊词元开头、另有 6 个词元的文本"};
    }
  }
  return {};
}

Findings run_first_token(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto gap = lacks(subject, conditions)) {
    findings.gaps["Q4"] = *gap;
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(
        {"shares of 20 texts instead of 60, influence in 6 shorter ones instead of 30; 200 "
         "bootstrap samples instead of 1,000",
         "份额 20 段而非 60 段，影响取 6 段较短的而非 30 段；自助样本 200 个而非 1000 个"});
  }
  FirstTokenData data;
  const auto layers = measure_shares(subject, conditions, data);
  conditions.progress(0.3);
  measure_influence(subject, conditions, data);
  measure_readouts(subject, conditions, data);
  if (data.halves.first.empty()) {
    findings.gaps["Q4"] = {"needs three texts of 10 words to cut in halves",
                           "需要至少三段 10 个词以上、可切成两半的文本"};
    return findings;
  }
  findings.numbers["Q4"] = first_token_numbers(data, conditions);
  findings.figures = {look_figure(layers), gini_figure(findings.numbers.at("Q4")),
                      readout_figure(findings.numbers.at("Q4"))};
  findings.remarks.push_back(
      {"Shares by rollout know attention and the residual alone; by norms also values and output maps, neither "
       "normalisation nor feed-forward. Influence knows everything: how far a vector moves when a word becomes [MASK]. "
       "The "
       "pooled output is tanh(W·h + b) of [CLS]'s vector, not that vector, as the document says.",
       "注意力展开（rollout）只计注意力与残差；范数法另计 value "
       "与输出矩阵，都不计归一化与前馈。影响则计入一切：把一个词换成 "
       "[MASK]，向量移动多远。池化输出是 [CLS] 向量的 tanh(W·h + b)，并非文档所说的该向量本身。"});
  if (data.halves.pooled.empty()) {
    findings.remarks.push_back(
        {"The checkpoint has no pooler: nothing is said of the pooled output.", "检查点没有池化层：不涉及池化输出。"});
  }
  conditions.progress(1);
  return findings;
}

/// Whether all three parts of the claim lie beyond 0, or one on the other side.
struct Clauses {
  bool all_above = true;
  bool one_below = false;

  void add(const Interval& interval) {
    all_above = all_above && interval.low > kShareRounding;
    one_below = one_below || interval.high < -kShareRounding;
  }
};

Verdict judge_first_token(const Numbers& numbers) {
  Clauses own;
  Clauses null;
  Clauses control;
  for (const char* name : {"norms_fairer", "influence_fairer", "halves_first_over_word"}) {
    const Number& number = numbers.at(name);
    own.add(number.interval.value());
    null.add(number.null->interval.value());
    control.add(number.control->interval.value());
  }
  Verdict verdict;
  if (null.all_above || !control.all_above) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = own.all_above   ? Observation::holds
                          : own.one_below ? Observation::fails
                                          : Observation::cannot_be_told;
  }
  const Interval mean_finds_more = numbers.at("halves_mean_over_first").interval.value();
  if (verdict.observation == Observation::fails || mean_finds_more.low > kShareRounding) {
    verdict.inference = Inference::does_not_follow;
  } else if (verdict.observation == Observation::holds && mean_finds_more.high <= kShareRounding) {
    verdict.inference = Inference::follows;
  }
  verdict.reason = {
      fmt::format(
          "Gini over words, [CLS] against ordinary words: shares {:.2f} and {:.2f}, influence {:.2f} and {:.2f}; the "
          "other half of a text is found by [CLS] in {:.0f} %, by a word in {:.0f} %, by the mean in {:.0f} %",
          numbers.value("norms_first_gini"), numbers.value("norms_word_gini"), numbers.value("influence_first_gini"),
          numbers.value("influence_word_gini"), 100 * numbers.value("halves_first"), 100 * numbers.value("halves_word"),
          100 * numbers.value("halves_mean")),
      fmt::format("各词的基尼系数，[CLS] 对普通词：份额 {:.2f} 对 {:.2f}，影响 {:.2f} 对 {:.2f}；由 [CLS] "
                  "找到文本另一半的比例为 "
                  "{:.0f}%，由普通词 {:.0f}%，由均值 {:.0f}%",
                  numbers.value("norms_first_gini"), numbers.value("norms_word_gini"),
                  numbers.value("influence_first_gini"), numbers.value("influence_word_gini"),
                  100 * numbers.value("halves_first"), 100 * numbers.value("halves_word"),
                  100 * numbers.value("halves_mean"))};
  return verdict;
}

Words answer_first_token(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q4")) return findings.gaps.at("Q4");
  const Numbers& numbers = findings.numbers.at("Q4");
  Words first{"Whether [CLS] is fairer and represents more than ordinary words cannot be told.",
              "[CLS] 是否比普通词更公平、更能代表整句，无法判断。"};
  const auto observation = verdicts.at("Q4").observation;
  if (observation == Observation::holds) {
    first = {"[CLS] merges words more evenly than ordinary words do, and represents more of the text.",
             "[CLS] 比普通词更均匀地融合各词，也更能代表整句。"};
  } else if (observation == Observation::fails) {
    first = {"[CLS] is not both fairer and more representative than ordinary words.",
             "[CLS] 并非既比普通词公平、又更能代表整句。"};
  }
  return {
      fmt::format("{} Words move [CLS] with a Gini coefficient of {:.2f}, a word's vector with {:.2f}. The other half "
                  "of a text is found by [CLS] in {:.0f} %, by a word in {:.0f} %, by the mean in {:.0f} %.",
                  first.en, numbers.value("influence_first_gini"), numbers.value("influence_word_gini"),
                  100 * numbers.value("halves_first"), 100 * numbers.value("halves_word"),
                  100 * numbers.value("halves_mean")),
      fmt::format(
          "{}各词对 [CLS] 影响的基尼系数为 {:.2f}，对普通词向量为 {:.2f}。由 [CLS] 找到文本另一半的比例为 {:.0f}%，由"
          "普通词 {:.0f}%，由均值 {:.0f}%。",
          first.zh, numbers.value("influence_first_gini"), numbers.value("influence_word_gini"),
          100 * numbers.value("halves_first"), 100 * numbers.value("halves_word"), 100 * numbers.value("halves_mean"))};
}

}  // namespace

Experiment first_token_experiment() {
  return {
      .name = "first_token",
      .effort = 10,
      .title = {"What [CLS] gathers", "[CLS] 汇集了什么"},
      .question = {"Is [CLS] a fair average of all words, and does it stand for the sentence?",
                   "[CLS] 是否公平地汇集所有词，能否代表整句？"},
      .definition = {"Shares of every ordinary word in [CLS]'s last vector by attention rollout and by norms of "
                     "weighted values with "
                     "the residual; how far that vector moves when a word becomes [MASK]; Gini coefficients over "
                     "words, against the "
                     "same of ordinary words' own vectors. Then the readout: which text's second half is nearest to a "
                     "first half, by "
                     "cosine of [CLS], pooled output, an ordinary word, the mean.",
                     "各普通词在 [CLS] 末层向量中的份额，用注意力展开与含残差的范数加权计算；把一个词换成 [MASK] "
                     "时该向量移动多远；对"
                     "各词取基尼系数，与普通词自己的向量相比。再看读出：以 "
                     "[CLS]、池化输出、某个普通词、均值的余弦，从前半段找同一文本的"
                     "后半段。"},
      .source = {"document 001, question 4; Abnar & Zuidema 2020; Kobayashi et al. 2020",
                 "文档 001 第 4 问；Abnar 与 Zuidema 2020；Kobayashi 等 2020"},
      .null = {"an ordinary word in [CLS]'s place; for shares, all on one word; for readouts, texts paired at random",
               "让一个普通词充当 [CLS]；对份额而言，全在一个词上；对读出而言，文本随机配对"},
      .control = {"the average of all words: equal shares, and the mean vector; for readouts, the same text twice",
                  "所有词的平均：份额相等，以及均值向量；对读出而言，同一文本出现两次"},
      .rules =
          {{.claim = "Q4",
            .observation =
                {"holds if [CLS]'s Gini coefficient is below ordinary words', by norm-weighted shares and by "
                 "influence, "
                 "and [CLS] finds more other halves than an ordinary word's vector, each with its interval over texts "
                 "beyond 0; fails if one interval lies on the other side of 0; otherwise, or if an ordinary word in "
                 "its "
                 "place meets all three or the average does not, it cannot be told",
                 "若按范数加权份额与按影响计算，[CLS] 的基尼系数都低于普通词，且 [CLS] "
                 "找到的另一半多于普通词向量（三者的"
                 "文本自助区间都在 0 之外）则成立；有一个区间在 0 的另一侧则不成立；其余情形，或普通词充当 [CLS] "
                 "也满足三"
                 "条、或平均不满足时，无法判断"},
            .inference = {"that [CLS] is the one to represent the sentence follows if that holds and the mean of all "
                          "words finds "
                          "no more; does not follow if it fails or the mean finds more (interval beyond 0); otherwise "
                          "not tested",
                          "“因此用 [CLS] "
                          "代表整句”：观察成立且均值找到的不更多，则推得出；观察不成立或均值找到的更多（区间在 0 之"
                          "外），则推不出；其余情形未检验"},
            .judge = judge_first_token}},
      .run = run_first_token,
      .answer = answer_first_token};
}

}  // namespace summand::lab
