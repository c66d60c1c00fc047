// Q4: is [CLS] a fairer average of all words, and does it stand for the sentence?
#include <algorithm>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/first_token/first_token_figures.hpp"
#include "lab/experiments/first_token/first_token_numbers.hpp"
#include "lab/experiments/first_token/word_influence.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/texts.hpp"
#include "lab/subject/reached_ids.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

using Eigen::Index;

namespace first_token {
namespace {

constexpr size_t kLeastWords = 6;    // of a text whose words have shares
constexpr size_t kLeastHalves = 10;  // of a text that is cut in two
constexpr size_t kWordDraws = 5;
constexpr double kShareRounding = 1e-9;  // of differences of shares of texts

struct Amounts {
  TextChoice shares;
  TextChoice influence;
  TextChoice readout;
};

constexpr size_t kShortest = kLeastWords + 2;
constexpr Amounts kFull{.shares = {.most = 60, .longest = 96, .shortest = kShortest},
                        .influence = {.most = 30, .longest = 36, .shortest = kShortest},
                        .readout = {.most = 200, .longest = 128, .shortest = kShortest}};
constexpr Amounts kQuick{.shares = {.most = 20, .longest = 96, .shortest = kShortest},
                         .influence = {.most = 6, .longest = 24, .shortest = kShortest},
                         .readout = {.most = 80, .longest = 64, .shortest = kShortest}};

Amounts amounts_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// Only texts with enough ordinary words, whose first token is a special one.
Texts fitting(const Texts& texts) {
  Texts kept;
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    const bool begins_special = texts.special[texts.batch.offsets[text]];
    if (begins_special && ordinary_words(texts, text).size() >= kLeastWords) add_text(kept, texts, text);
  }
  return kept;
}

/// The texts of each measurement.
struct MeasuredTexts {
  Texts shares;
  Texts influence;
  Texts readouts;
  TextPairs halves;  ///< of those for readouts

  MeasuredTexts(const Subject& subject, const Conditions& conditions) {
    const Amounts amounts = amounts_of(conditions);
    const auto chosen = [&](const TextChoice& choice, const char* name) {
      RandomStream stream(conditions.seed, std::string("first token: ") + name);
      return fitting(texts_of(subject, choice, stream));
    };
    shares = chosen(amounts.shares, "shares");
    influence = chosen(amounts.influence, "influence");
    readouts = chosen(amounts.readout, "readouts");
    halves = halves_of(subject, readouts, kLeastHalves);
  }
  /// Why there is no interval over one of them, if there is none.
  [[nodiscard]] std::optional<LocalizedText> too_few() const {
    const size_t fewest = std::min({shares.batch.texts(), influence.batch.texts(), readouts.batch.texts()});
    if (auto few = lab::too_few(fewest, localize("first_token.items.words", {{"words", kLeastWords}}))) return few;
    return lab::too_few(halves.one.batch.texts(), localize("first_token.items.halves", {{"halves", kLeastHalves}}));
  }
};

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

std::vector<FirstTokenLook> measure_shares(const Subject& subject, const Texts& texts, uint64_t seed,
                                           FirstTokenData& data) {
  const auto maps = flow_maps(subject);
  RandomStream stream(seed, "first token: words of shares");
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

void measure_influence(const Subject& subject, const Texts& texts, const Conditions& conditions, FirstTokenData& data) {
  const auto engine = changed_model(subject).engine(conditions.threads);
  RandomStream stream(conditions.seed, "first token: words of influence");
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    auto words = ordinary_words(texts, text);
    stream.shuffle(std::span(words));
    data.influence.push_back(word_influence(subject, engine, texts, text, words[0], words[1]));
    conditions.progress(0.3 + 0.5 * static_cast<double>(text + 1) / static_cast<double>(texts.batch.texts()));
  }
}

void measure_readouts(const Subject& subject, const MeasuredTexts& texts, const Conditions& conditions,
                      FirstTokenData& data) {
  const auto engine = changed_model(subject).engine(conditions.threads);
  RandomStream stream(conditions.seed, "first token: readouts");
  const auto both = [&](const TextPairs& pairs) {
    const Readouts one = readouts(engine, pairs.one, kWordDraws, stream);
    const Readouts other = readouts(engine, pairs.other, kWordDraws, stream);
    return retrieval_of(one, other, stream);
  };
  data.halves = both(texts.halves);
  data.copies = both(thinned(subject, texts.readouts, stream));
}

/// Why it cannot be measured, if it cannot.
std::optional<LocalizedText> lacks(const Subject& subject) {
  if (!subject.model) return localize("first_token.gaps.model");
  if (subject.model->config().num_hidden_layers < 1) return localize("first_token.gaps.layer");
  const auto& tokenizer = subject.model->tokenizer();
  if (!mask_id(tokenizer, subject.tokens.rows()) && !tokenizer.unk_id()) {
    return localize("first_token.gaps.tokens");
  }
  return {};
}

Findings run_first_token(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto gap = lacks(subject)) {
    findings.gaps["Q4"] = *gap;
    return findings;
  }
  const MeasuredTexts texts(subject, conditions);
  if (const auto few = texts.too_few()) {
    findings.gaps["Q4"] = *few;
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(localize("first_token.left_out", {{"few_shares", kQuick.shares.most},
                                                                  {"many_shares", kFull.shares.most},
                                                                  {"few_influence", kQuick.influence.most},
                                                                  {"many_influence", kFull.influence.most},
                                                                  {"few_resamplings", kQuickResamplings},
                                                                  {"many_resamplings", kFullResamplings}}));
  }
  FirstTokenData data;
  const auto layers = measure_shares(subject, texts.shares, conditions.seed, data);
  conditions.progress(0.3);
  measure_influence(subject, texts.influence, conditions, data);
  measure_readouts(subject, texts, conditions, data);
  data.read_elsewhere =
      subject.model->checkpoint().sentence.from_directory && sentence_vector_of(subject) != SentenceVector::cls;
  findings.numbers["Q4"] = first_token_numbers(data, conditions);
  findings.figures = {look_figure(layers), gini_figure(findings.numbers.at("Q4")),
                      readout_figure(findings.numbers.at("Q4"))};
  findings.remarks.push_back(localize("first_token.remarks.ways"));
  if (data.halves.pooled.empty()) findings.remarks.push_back(localize("first_token.remarks.no_pooler"));
  conditions.progress(1);
  return findings;
}

/// Where an interval lies.
bool is_above(const Interval& interval) {
  return interval.low > kShareRounding;
}
bool is_below(const Interval& interval) {
  return interval.high < -kShareRounding;
}

/// The parts of the claim: that [CLS] merges more fairly, which shares and influence measure, and that it finds more.
struct RuleInputs {
  Interval shares;
  Interval influence;
  Interval found;

  [[nodiscard]] bool all_above() const { return is_above(shares) && is_above(influence) && is_above(found); }
  /// Where two measures of one part contradict each other, that part cannot be told.
  [[nodiscard]] bool measures_disagree() const {
    return (is_above(shares) && is_below(influence)) || (is_below(shares) && is_above(influence));
  }
  [[nodiscard]] bool one_below() const {
    return is_below(found) || (!measures_disagree() && (is_below(shares) || is_below(influence)));
  }
};

Observation evaluate(const RuleInputs& one) {
  if (one.all_above()) return Observation::holds;
  return one.one_below() ? Observation::fails : Observation::cannot_be_told;
}

/// @param where  it is said: "reason", "answer"
FormatArgs measured(const Numbers& numbers, const char* where) {
  const bool elsewhere = find_number(numbers, kReadElsewhere) != nullptr;
  return {{"first_shares", numbers.value(kByNorms.first_gini)},
          {"word_shares", numbers.value(kByNorms.word_gini)},
          {"first_influence", numbers.value(kByInfluence.first_gini)},
          {"word_influence", numbers.value(kByInfluence.word_gini)},
          {"first_own", numbers.value(kByNorms.first_own)},
          {"word_own", numbers.value(kByNorms.word_own)},
          {"first_finds", 100 * numbers.value(kHalves.first)},
          {"word_finds", 100 * numbers.value(kHalves.word)},
          {"mean_finds", 100 * numbers.value(kHalves.mean)},
          {"trained", elsewhere ? localize(std::string("first_token.trained_elsewhere.") + where) : LocalizedText{}}};
}

Verdict judge_first_token(const Numbers& numbers) {
  const auto inputs = controlled(numbers, [](const NumberReader& of) {
    return RuleInputs{.shares = of.interval(kByNorms.fairer),
                      .influence = of.interval(kByInfluence.fairer),
                      .found = of.interval(kHalves.first_over_word)};
  });
  Verdict verdict;
  verdict.observation = inputs.judged_by(evaluate);
  const auto clause = [&](const NumberName& name) {
    const Interval interval = numbers.at(name).interval.value();
    return Condition{name, verdict.observation == Observation::fails ? interval.high >= -kShareRounding
                                                                     : interval.low > kShareRounding};
  };
  verdict.number =
      deciding_number({clause(kByNorms.fairer), clause(kByInfluence.fairer), clause(kHalves.first_over_word)});
  const Interval keeps_more = numbers.at(kByNorms.own_over_word).interval.value();
  if (verdict.observation == Observation::fails || keeps_more.low > kShareRounding) {
    verdict.inference = Inference::does_not_follow;
  } else if (verdict.observation == Observation::holds && keeps_more.high < -kShareRounding) {
    verdict.inference = Inference::follows;
  }
  verdict.reason = localize("first_token.reason", measured(numbers, "reason"));
  return verdict;
}

LocalizedText answer_first_token(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q4")) return gap_answer(findings.gaps.at("Q4"));
  const auto observation = verdicts.at("Q4").observation;
  const char* text = observation == Observation::holds   ? "first_token.verdicts.holds"
                     : observation == Observation::fails ? "first_token.verdicts.fails"
                                                         : "first_token.verdicts.cannot_be_told";
  FormatArgs args = measured(findings.numbers.at("Q4"), "answer");
  args.emplace_back("verdict", localize(text));
  return localize("first_token.answer", args);
}

}  // namespace
}  // namespace first_token

Experiment first_token_experiment() {
  using namespace first_token;
  Experiment experiment = described_experiment("first_token", {});
  experiment.effort = 10;
  experiment.needs_positions = false;
  experiment.rules = {described_rule("first_token", "Q4", judge_first_token, {})};
  experiment.rules.front().revision = 1;  // intervals of shares hold the score interval too
  experiment.run = run_first_token;
  experiment.answer = answer_first_token;
  return experiment;
}

}  // namespace summand::lab
