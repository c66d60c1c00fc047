// Q9: what does dividing the dot products by √(head width) do?
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/score_scale/score_rows.hpp"
#include "lab/probing/attention.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace score_scale {
namespace {

constexpr double kNoChange = 0.01;  // of the null's entropy, which cannot change
constexpr size_t kShortest = 8;     // tokens

constexpr NumberName kGrowthExponent{"score_scale", "growth_exponent"};
constexpr NumberName kClosedFormSpread{"score_scale", "closed_form_spread"};

/// How much of it is done.
struct Size {
  size_t texts = 60;
  size_t longest = 128;  // tokens
  size_t resamplings = 300;
};
constexpr Size kFull{};
constexpr Size kQuick{.texts = 12, .longest = 64, .resamplings = 50};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"saturated", kSaturated}, {"shortest", kShortest}, {"half", kHalfEntropy}};
}

Figure heads_figure(const ScoreHeads& heads, size_t per_layer) {
  using namespace chart;
  const auto text = [](const char* name) {
    return localize(std::string("score_scale.figures.score-scale-heads.") + name);
  };
  const auto texts = heads.texts();
  std::vector<size_t> order(heads.of.size());
  std::vector<double> spread(order.size());
  for (size_t h = 0; h < order.size(); ++h) {
    order[h] = h;
    spread[h] = heads.head(h, texts)[scale_index(ScoreScale::root)].spread;
  }
  std::ranges::sort(order, [&](size_t a, size_t b) { return spread[a] < spread[b]; });
  std::vector<double> rank;
  std::vector<double> layer;
  std::vector<double> number_of;
  std::vector<double> entropy;
  std::vector<LocalizedText> of;
  for (const ScoreScale scale : kScoreScales) {
    for (size_t i = 0; i < order.size(); ++i) {
      const ScoreRows rows = heads.head(order[i], texts)[scale_index(scale)];
      rank.push_back(static_cast<double>(i + 1));
      layer.push_back(static_cast<double>(order[i] / per_layer + 1));
      number_of.push_back(static_cast<double>(order[i] % per_layer + 1));
      entropy.push_back(rows.entropy / rows.rows);
      of.push_back(series_of(scale).words);
    }
  }
  Json points = mark(
      {{"type", "point"}, {"filled", true}, {"size", 30}},
      of_points(
          {{"x", whole("rank", text("rank"))}, {"y", scaled(number("entropy", text("entropy")), {{"domain", {0, 1}}})}},
          "of", text("of"), {series_of(ScoreScale::root), series_of(ScoreScale::none), series_of(ScoreScale::width)}));
  points["encoding"]["tooltip"].push_back(number("layer", text("layer"), "d"));
  points["encoding"]["tooltip"].push_back(number("head", text("head"), "d"));
  return {
      .name = "score-scale-heads",
      .title = text("title"),
      .caption = text("caption"),
      .specification = std::move(points),
      .data = FigureData{{{"rank", rank}, {"layer", layer}, {"head", number_of}, {"entropy", entropy}, {"of", of}}}};
}

/// One point a head: how far its logits spread, and how much of them still moves the weights.
Figure saturation_figure(const ScoreHeads& own, const ScoreHeads& control) {
  using namespace chart;
  const auto text = [](const char* name) {
    return localize(std::string("score_scale.figures.score-scale-saturation.") + name);
  };
  const Series normal{text("normal"), {.colour = "@faint", .dash = {1, 3}, .shape = "cross"}};
  const Series normal_scaled{text("normal_scaled"), {.colour = "@purple", .dash = {1, 2}, .shape = "triangle-down"}};
  std::vector<double> spread;
  std::vector<double> gradient;
  std::vector<LocalizedText> of;
  const auto add = [&](const ScoreHeads& heads, ScoreScale scale, const Series& series) {
    for (size_t h = 0; h < heads.of.size(); ++h) {
      const ScoreRows rows = heads.head(h, heads.texts())[scale_index(scale)];
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
          .title = text("title"),
          .caption = text("caption"),
          .specification =
              mark({{"type", "point"}, {"filled", true}, {"size", 30}},
                   of_points({{"x", logarithmic(number("spread", text("spread")), {0.01, 0.1, 1, 10, 100})},
                              {"y", scaled(number("gradient", text("gradient")), {{"domain", {0, 1}}})}},
                             "of", text("of"),
                             {series_of(ScoreScale::root), series_of(ScoreScale::none), normal_scaled, normal})),
          .data = FigureData{{{"spread", spread}, {"gradient", gradient}, {"of", of}}}};
}

Findings run_score_scale(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    findings.gaps["Q9"] = localize("score_scale.gaps.checkpoint");
    return findings;
  }
  if (subject.model->config().num_hidden_layers < 1) {
    findings.gaps["Q9"] = localize("score_scale.gaps.layer");
    return findings;
  }
  RandomStream stream(conditions.seed, "score scale: texts");
  const Size size = conditions.quick ? kQuick : kFull;
  const Texts texts = texts_of(subject, {.most = size.texts, .longest = size.longest, .shortest = kShortest}, stream);
  if (const auto few = too_few(texts.batch.texts(), texts_from(kShortest))) {
    findings.gaps["Q9"] = *few;
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(localize("score_scale.left_out", {{"few_texts", kQuick.texts},
                                                                  {"many_texts", kFull.texts},
                                                                  {"few_tokens", kQuick.longest},
                                                                  {"many_tokens", kFull.longest},
                                                                  {"few_resamplings", kQuick.resamplings},
                                                                  {"many_resamplings", kFull.resamplings}}));
  }
  const ChangedModel model = changed_model(subject);
  const ScoreHeads own = score_heads(model, texts.batch, {});
  conditions.progress(0.3);
  const ScoreHeads null = score_heads(model, texts.batch, equal_keys);
  conditions.progress(0.5);
  const ScoreHeads control = score_heads(model, texts.batch, unit_normal(conditions.seed));
  conditions.progress(0.8);
  auto numbers =
      with_references(bare_numbers_of(own), {localize("score_scale.beside.equal_keys_of_texts"), bare_numbers_of(null)},
                      {localize("score_scale.beside.unit_normal"), bare_numbers_of(control)});
  numbers.front().interval =
      bootstrap(texts.batch.texts(), [&](std::span<const size_t> chosen) { return own.middle(entropy_ratio, chosen); },
                {.seed = conditions.seed,
                 .name = "score scale: texts",
                 .count = size.resamplings,
                 .threads = thread_count(conditions)});
  for (const Number& number : numbers) findings.numbers["Q9"].add(number);
  const auto width = model.config.head_size();
  findings.numbers["Q9"].add(
      NumberBuilder(kGrowthExponent, growth_exponent(model, texts.batch, {}))
          .null(growth_exponent(model, texts.batch, equal_keys), numbers.front().null->of)
          .control(growth_exponent(model, texts.batch, unit_normal(conditions.seed)), numbers.front().control->of));
  findings.numbers["Q9"].add(NumberBuilder(kClosedFormSpread, std::sqrt(static_cast<double>(width)))
                                 .null(0, localize("score_scale.beside.equal_keys"))
                                 .control(findings.numbers["Q9"].control(name_under(ScoreScale::none, kSpread)),
                                          localize("score_scale.beside.as_drawn")));
  findings.figures = {heads_figure(own, static_cast<size_t>(model.config.num_attention_heads)),
                      saturation_figure(own, control)};
  findings.remarks.push_back(localize("score_scale.remark", {{"width", width}}));
  conditions.progress(1);
  return findings;
}

/// What taking the scale away does.
enum class Effect { narrows, does_not_narrow, cannot_be_told };

Effect effect_of(const Numbers& numbers) {
  const Interval ratio = numbers.at(kEntropyRatio).interval.value();
  const bool controls_pass =
      std::abs(numbers.null(kEntropyRatio) - 1) < kNoChange && numbers.control(kEntropyRatio) < kHalfEntropy;
  if (controls_pass && ratio.high < kHalfEntropy) return Effect::narrows;
  return controls_pass && ratio.low >= kHalfEntropy ? Effect::does_not_narrow : Effect::cannot_be_told;
}

FormatArgs measured(const Numbers& numbers) {
  const auto saturated_percent = [&](ScoreScale scale) {
    return 100 * numbers.value(name_under(scale, kSaturatedRows));
  };
  const Number& ratio = numbers.at(kEntropyRatio);
  return {{"unscaled_spread", numbers.value(name_under(ScoreScale::none, kSpread))},
          {"scaled_spread", numbers.value(name_under(ScoreScale::root, kSpread))},
          {"ratio", ratio.value},
          {"low", ratio.interval->low},
          {"high", ratio.interval->high},
          {"normal_ratio", ratio.control->value},
          {"saturated", kSaturated},
          {"unscaled_percent", saturated_percent(ScoreScale::none)},
          {"scaled_percent", saturated_percent(ScoreScale::root)}};
}

/// The document asks and claims nothing: numbers without a verdict.
Verdict judge_score_scale(const Numbers& numbers) {
  return {.observation = Observation::not_judged,
          .inference = Inference::not_tested,
          .reason = localize("score_scale.reason", measured(numbers))};
}

LocalizedText answer_score_scale(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("Q9")) return gap_answer(findings.gaps.at("Q9"));
  const Numbers& numbers = findings.numbers.at("Q9");
  FormatArgs args = measured(numbers);
  args.emplace_back("ratio_percent", 100 * numbers.value(kEntropyRatio));
  switch (effect_of(numbers)) {
    case Effect::narrows:
      return localize("score_scale.answers.narrows", args);
    case Effect::does_not_narrow:
      return localize("score_scale.answers.does_not_narrow", args);
    case Effect::cannot_be_told:
      return localize("score_scale.answers.cannot_be_told", args);
  }
  __builtin_unreachable();
}

}  // namespace
}  // namespace score_scale

Experiment score_scale_experiment() {
  using namespace score_scale;
  Experiment experiment = described_experiment("score_scale", settings());
  experiment.effort = 7;
  experiment.needs_positions = false;
  experiment.rules = {described_rule("score_scale", "Q9", judge_score_scale, settings())};
  experiment.run = run_score_scale;
  experiment.answer = answer_score_scale;
  return experiment;
}

}  // namespace summand::lab
