// 4.9: has the length of the position rows anything to do with attention scores?
#include <algorithm>
#include <optional>
#include <span>

#include "base/random_stream.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/position_strength/strength_figures.hpp"
#include "lab/experiments/position_strength/strength_numbers.hpp"
#include "lab/experiments/position_strength/strength_outputs.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace position_strength {
namespace {

constexpr double kLittle = 0.01;  // of the divergence from uniform attention: too little to be seen in a figure
constexpr double kMuch = 0.05;    // of the same: what no reader would call "little"
constexpr size_t kShortest = 4;   // tokens: fewer leave attention little choice
constexpr double kHalf = 0.5;     // of what token and position have together: the larger one has more

/// What the texts say of the constants.
FormatArgs settings() {
  const auto strengths = StrengthSize{}.strengths;
  return {{"little", kLittle},
          {"much", kMuch},
          {"shortest", kShortest},
          {"weakest", strengths.front()},
          {"strongest", strengths.back()},
          {"parts", kLogitParts},
          {"half", kHalf}};
}

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
    const StrengthSize few = StrengthSize::quick();
    const StrengthSize many;
    // The model's own strength, 1, is no change.
    findings.left_out.push_back(localize("position_strength.left_out", {{"few_texts", few.texts},
                                                                        {"many_texts", many.texts},
                                                                        {"few_tokens", few.longest},
                                                                        {"many_tokens", many.longest},
                                                                        {"few_watched", few.watched},
                                                                        {"many_watched", many.watched},
                                                                        {"few_strengths", few.strengths.size() - 1},
                                                                        {"many_strengths", many.strengths.size() - 1},
                                                                        {"few_groups", few.zeroed.size()},
                                                                        {"many_groups", many.zeroed.size()},
                                                                        {"few_resamplings", few.resamplings},
                                                                        {"many_resamplings", many.resamplings}}));
  }
  findings.remarks.push_back(
      localize("position_strength.remarks.cross_terms", {{"spread", findings.numbers.at("4.9").value(kCrossSpread)}}));
  findings.remarks.push_back(localize("position_strength.remarks.divergence"));
  if (!models.own.undisturbed().has_loss()) findings.remarks.push_back(localize("position_strength.remarks.no_loss"));
}

/// What keeps it from being measured, if anything does.
std::optional<LocalizedText> lacks_strength(const Subject& subject, const Texts& texts) {
  if (subject.model->config().num_hidden_layers < 1) return localize("position_strength.gaps.layer");
  return too_few(texts.batch.texts(), texts_from(kShortest));
}

Findings run_position_strength(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  const StrengthSize size = StrengthSize::of(conditions);
  RandomStream stream(conditions.seed, "position strength: texts");
  const Texts texts =
      lacking ? Texts{}
              : texts_of(subject, {.most = size.texts, .longest = size.longest, .shortest = kShortest}, stream);
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
                    .threads = thread_count(conditions)};
  findings.figures.push_back(terms_figure(add_logit_numbers(subject, logits, texts, conditions, draws, numbers)));
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

/// How much halving and doubling move.
struct RuleInputs {
  Interval halving;
  Interval doubling;
};

Observation evaluate(const RuleInputs& moved) {
  if (moved.halving.high < kLittle && moved.doubling.high < kLittle) return Observation::holds;
  if (moved.halving.low >= kMuch || moved.doubling.low >= kMuch) return Observation::fails;
  return Observation::cannot_be_told;
}

/// Which of two parts has more, where the interval of one's share tells.
enum class Larger { token, position, not_told };

Larger larger_of(const Interval& share_of_position) {
  if (share_of_position.low > kHalf) return Larger::position;
  return share_of_position.high < kHalf ? Larger::token : Larger::not_told;
}

Inference inference_of(Observation observation, const Numbers& numbers) {
  if (observation == Observation::fails) return Inference::does_not_follow;
  const Larger longer = larger_of(*numbers.at(kShareOfNorms).interval);
  const Larger more = larger_of(*numbers.at(kShareOfLogits).interval);
  if (observation != Observation::holds || longer == Larger::not_told || more == Larger::not_told) {
    return Inference::not_tested;
  }
  return longer == more ? Inference::does_not_follow : Inference::follows;
}

/// "Need not": one case in which the longer part contributes less is enough, and this checkpoint may be one.
std::optional<Truth> conclusion_of(const Numbers& numbers) {
  const Larger longer = larger_of(*numbers.at(kShareOfNorms).interval);
  const Larger more = larger_of(*numbers.at(kShareOfLogits).interval);
  if (longer == Larger::not_told || more == Larger::not_told || longer == more) return {};
  return Truth::true_here;
}

FormatArgs said(const Numbers& numbers) {
  const Number& half = numbers.at(kMovedBy.of(kHalving));
  const Number& twice = numbers.at(kMovedBy.of(kDoubling));
  const Number& norms = numbers.at(kShareOfNorms);
  const Number& scores = numbers.at(kShareOfLogits);
  return {{"half", half.value},
          {"half_low", half.interval->low},
          {"half_high", half.interval->high},
          {"twice", twice.value},
          {"twice_low", twice.interval->low},
          {"twice_high", twice.interval->high},
          {"twice_all_rows", numbers.value(kMovedBy.of(kDoubling + std::string("_") + kAllRows))},
          {"twice_words", numbers.value(kMovedBy.of(kDoubling + std::string("_") + kWords))},
          {"norms", norms.value},
          {"norms_low", norms.interval->low},
          {"norms_high", norms.interval->high},
          {"scores", scores.value},
          {"scores_low", scores.interval->low},
          {"scores_high", scores.interval->high},
          {"turned_scores", numbers.null(kShareOfLogits)}};
}

Verdict judge_position_strength(const Numbers& numbers) {
  const Number& half = numbers.at(kMovedBy.of(kHalving));
  const Number& twice = numbers.at(kMovedBy.of(kDoubling));
  Verdict verdict;
  const auto inputs = controlled(numbers, [&](const NumberReader& of) {
    return RuleInputs{of.interval(half.name), of.interval(twice.name)};
  });
  // In the null attention must follow, in the control it cannot.
  verdict.observation = inputs.judged_by(evaluate, Observation::fails);
  verdict.number = (twice.value > half.value ? twice : half).name;
  verdict.inference = inference_of(verdict.observation, numbers);
  verdict.conclusion = conclusion_of(numbers);
  verdict.reason = localize("position_strength.reason", said(numbers));
  return verdict;
}

LocalizedText answer_position_strength(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.9")) return gap_answer(findings.gaps.at("4.9"));
  const Numbers& numbers = findings.numbers.at("4.9");
  const auto observation = verdicts.at("4.9").observation;
  FormatArgs args = said(numbers);
  args.emplace_back("twice_percent", 100 * numbers.value(kMovedBy.of(kDoubling)));
  args.emplace_back("norms_percent", 100 * numbers.value(kShareOfNorms));
  args.emplace_back("scores_percent", 100 * numbers.value(kShareOfLogits));
  args.emplace_back("turned_percent", 100 * numbers.null(kShareOfLogits));
  args.emplace_back("verdict", localize(observation == Observation::fails   ? "position_strength.verdict.it_has"
                                        : observation == Observation::holds ? "position_strength.verdict.hardly"
                                                                            : "position_strength.verdict.not_told"));
  return localize("position_strength.answer", args);
}

}  // namespace
}  // namespace position_strength

Experiment position_strength_experiment() {
  using namespace position_strength;
  Experiment experiment = described_experiment("position_strength", settings());
  experiment.effort = 17;
  experiment.rules = {
      described_rule("position_strength", "4.9", judge_position_strength, settings(), {.kind = Kind::data})};
  experiment.run = run_position_strength;
  experiment.answer = answer_position_strength;
  return experiment;
}

}  // namespace summand::lab
