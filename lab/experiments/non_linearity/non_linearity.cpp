// Q7: where does the model's non-linearity come from, and are GELU and self-attention all of it?
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/non_linearity/affine_runs.hpp"
#include "lab/experiments/non_linearity/source_figures.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace non_linearity {
namespace {

constexpr double kLittleLeft = 0.05;  // of the curvature: with more, the two are not all of it
constexpr double kNothing = 1e-4;     // 1 − cosine that rounding and a fit of an affine map stay below
/// Of the way to the affine fit: changes are then small, and add up to first order. At the whole way 1 − cosine is
/// near 1 for several sources, and they can no longer be compared.
constexpr double kDose = 0.1;
// Of the lesser of the two named sources, what a normalisation moves; of the model's own curvature, what is left
// without the two. Planted: affine normalisations 0, token rows of very different lengths 8; MiniLM's words 0.28, with
// [CLS] and all else by one fit 0.5; curvature 0.41.
constexpr double kClearlyLess = 0.5;
constexpr double kAsMuch = 1;
constexpr double kMostRatio = 1000;
constexpr double kFarLonger = 2;  // times a word's deviation: what one slope cannot fit

constexpr NumberName kRatio{"non_linearity", "normalisations_over_named"};
constexpr NumberName kRatioOfAll{"non_linearity", "normalisations_over_named_all_tokens"};
constexpr NumberName kPoolerTanh{"non_linearity", "pooler_tanh"};
constexpr NumberName kHeadGelu{"non_linearity", "head_gelu_loss"};
constexpr NumberName kHeadNorm{"non_linearity", "head_norm_loss"};
constexpr NumberName kCurvature{"non_linearity", "curvature_without_the_two"};
constexpr const char* kSmallDose = "small_dose";  // of a source's family

constexpr std::array kNamed{Source::gelu, Source::self_attention};
constexpr std::array kOthers{Source::attention_norm, Source::output_norm, Source::input_norm};
constexpr std::array kFive{Source::gelu, Source::self_attention, Source::attention_norm, Source::output_norm,
                           Source::input_norm};
constexpr std::array kShown{Source::gelu,           Source::self_attention, Source::softmax,
                            Source::attention_norm, Source::output_norm,    Source::input_norm};

std::set<Source> set_of(std::span<const Source> sources) {
  return {sources.begin(), sources.end()};
}

/// Words alone, in all layers.
Replacement small_dose(Source source, Tokens tokens = Tokens::words) {
  return {.sources = {source}, .layer = {}, .tokens = tokens, .dose = kDose, .before = {}};
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"nothing", kNothing}, {"dose", kDose}, {"little_left", kLittleLeft}};
}

LocalizedText of_null() {
  return localize("non_linearity.value_replaced");
}

LocalizedText of_control() {
  return localize("non_linearity.all_replaced");
}

/// One of a source's family. @param what  is measured: "loss"
NumberBuilder of_source(Source source, const char* what, double value) {
  const LocalizedText label =
      localize(std::string("non_linearity.of_source.") + what, {{"source", words_of(source)}, {"dose", kDose}});
  return {name_of(source).of(what), label, value};
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

/// What a small dose of each of the five does to every text's vector, over the dose squared: of the whole way, were it
/// as far. [sources][texts]
using Changes = std::array<std::vector<double>, kFive.size()>;

Changes small_changes(const AffineRuns& runs, const std::set<Source>& before, Tokens tokens) {
  const auto own = runs.run_vectors({.before = before});
  Changes changes;
  for (size_t i = 0; i < kFive.size(); ++i) {
    Replacement replacement = small_dose(kFive[i], tokens);
    replacement.before = before;
    changes[i] = changes_of(own, runs.run_vectors(replacement));
    for (double& change : changes[i]) change /= kDose * kDose;
  }
  return changes;
}

double mean_of(const std::vector<double>& values, std::span<const size_t> texts) {
  double sum = 0;
  for (const size_t text : texts) sum += values[text];
  return sum / static_cast<double>(texts.size());
}

/// The largest of the normalisations over the lesser of the two that are named.
double ratio_of(const Changes& changes, std::span<const size_t> texts) {
  double named = std::numeric_limits<double>::infinity();
  double others = 0;
  for (size_t i = 0; i < kFive.size(); ++i) {
    const double change = mean_of(changes[i], texts);
    if (std::ranges::count(kNamed, kFive[i]) > 0) {
      named = std::min(named, change);
    } else {
      others = std::max(others, change);
    }
  }
  return others < kMostRatio * named ? others / named : (others > 0 ? kMostRatio : 0);
}

Estimate ratio_over_texts(size_t texts, const IndexStatistic& of, const Conditions& conditions) {
  std::vector<size_t> all(texts);
  std::iota(all.begin(), all.end(), size_t{0});
  return {.value = of(all),
          .interval = bootstrap(texts, of, {.seed = conditions.seed, .name = "non-linearity: ratio", .count = 1000})};
}

/// The five at a small dose, where their changes are comparable.
void measure_small_doses(const AffineRuns& runs, const Conditions& conditions, Numbers& numbers) {
  const Changes words = small_changes(runs, {}, Tokens::words);
  const auto over_texts = [&](const Changes& changes) {
    return ratio_over_texts(
        changes.front().size(), [&](std::span<const size_t> texts) { return ratio_of(changes, texts); }, conditions);
  };
  const Estimate own = over_texts(words);
  const Estimate all_tokens = over_texts(small_changes(runs, {}, Tokens::all));
  const Estimate null = over_texts(small_changes(runs, set_of(kNamed), Tokens::words));
  const Estimate control = over_texts(small_changes(runs, set_of(kOthers), Tokens::words));
  const auto add = [&](const NumberName& name, const Estimate& ratio) {
    numbers.add(NumberBuilder(name, ratio, settings())
                    .null(null, localize("non_linearity.beside.two_affine"))
                    .control(control, localize("non_linearity.beside.normalisations_affine")));
  };
  add(kRatio, own);
  add(kRatioOfAll, all_tokens);
  const auto plain = runs.run_vectors({});
  const auto of = [&](const std::set<Source>& sources) {
    const auto replaced =
        runs.run_vectors({.sources = sources, .layer = {}, .tokens = Tokens::words, .dose = kDose, .before = {}});
    return mean(changes_of(plain, replaced)) / (kDose * kDose);
  };
  const double of_value = of({Source::value});
  const double of_all = of(set_of(kFive));
  for (size_t i = 0; i < kFive.size(); ++i) {
    numbers.add(of_source(kFive[i], kSmallDose, mean(words[i]))
                    .interval(interval_of(words[i], conditions, name_of(kFive[i]).of(kSmallDose)))
                    .null(of_value, of_null())
                    .control(of_all, of_control()));
  }
}

/// Every source in all layers: sentence vectors, and the loss where there is a head.
std::vector<ReplacedSource> measure_sources(const AffineRuns& runs, const Conditions& conditions, Numbers& numbers) {
  const auto own = runs.run({});
  const auto null = runs.run({.sources = {Source::value}});
  const auto all = runs.run({.sources = set_of(kFive)});
  const double null_change = mean(changes_of(own, null));
  const double all_change = mean(changes_of(own, all));
  std::vector<ReplacedSource> shown;
  for (const Source source : kShown) {
    const auto replaced = runs.run({.sources = {source}});
    const auto changes = changes_of(own, replaced);
    const LocalizedText label = localize("non_linearity.of_source.vectors", {{"source", words_of(source)}});
    numbers.add(NumberBuilder(name_of(source).name, label, mean(changes))
                    .interval(interval_of(changes, conditions, name_of(source).name))
                    .null(null_change, of_null())
                    .control(all_change, of_control()));
    shown.push_back({words_of(source), mean(changes), relative_error(own, replaced)});
    if (!own.scores) continue;
    numbers.add(of_source(source, "loss", replaced.scores->mean_loss() - own.scores->mean_loss())
                    .null(null.scores->mean_loss() - own.scores->mean_loss(), of_null())
                    .control(all.scores->mean_loss() - own.scores->mean_loss(), of_control()));
    numbers.add(of_source(source, "accuracy", own.scores->accuracy() - replaced.scores->accuracy())
                    .null(own.scores->accuracy() - null.scores->accuracy(), of_null())
                    .control(own.scores->accuracy() - all.scores->accuracy(), of_control()));
  }
  shown.push_back({of_control(), all_change, relative_error(own, all)});
  shown.push_back({words_of(Source::value), null_change, relative_error(own, null)});
  return shown;
}

void measure_heads(const AffineRuns& runs, Numbers& numbers) {
  if (const auto pooler = runs.pooler()) {
    numbers.add(NumberBuilder(kPoolerTanh, pooler->replaced)
                    .null(pooler->null, localize("non_linearity.pooler_dense_replaced"))
                    .control(pooler->control, localize("non_linearity.pooler_mean")));
  }
  if (const auto head = runs.head()) {
    const auto add = [&](const NumberName& name, double value) {
      numbers.add(NumberBuilder(name, value)
                      .null(head->null, localize("non_linearity.head_dense_replaced"))
                      .control(head->both, localize("non_linearity.head_both_replaced")));
    };
    add(kHeadGelu, head->gelu);
    add(kHeadNorm, head->norm);
  }
}

/// What the named sources of words leave of the curvature when they are made affine, others being so before.
Estimate curvature_left(const AffineRuns& runs, const std::set<Source>& before, const Conditions& conditions) {
  const auto own = runs.second_differences({.before = before});
  const auto left = runs.second_differences(
      {.sources = set_of(kNamed), .layer = {}, .tokens = Tokens::words, .dose = 1, .before = before});
  return ratio_over_texts(
      own.bent.size(),
      [&](std::span<const size_t> texts) {
        const double all = own.curvature(texts);
        return all > 0 ? std::min(left.curvature(texts) / all, kMostRatio) : 0;
      },
      conditions);
}

void measure_curvature(const AffineRuns& runs, const Conditions& conditions, Numbers& numbers) {
  const Estimate own = curvature_left(runs, {}, conditions);
  const Estimate null = curvature_left(runs, set_of(kNamed), conditions);
  const Estimate control = curvature_left(runs, set_of(kOthers), conditions);
  numbers.add(NumberBuilder(kCurvature, own)
                  .null(null, localize("non_linearity.beside.two_affine"))
                  .control(control, localize("non_linearity.beside.normalisations_affine")));
}

/// "one_layer", "one_layer_words", "one_layer_first": of a source's family.
std::string one_layer(Tokens tokens) {
  switch (tokens) {
    case Tokens::all:
      return "one_layer";
    case Tokens::words:
      return "one_layer_words";
    case Tokens::first:
      return "one_layer_first";
  }
  __builtin_unreachable();
}

/// Every source in each layer alone, of all tokens, of words and of [CLS]; their means over layers as numbers.
std::vector<AtLayer> measure_layers(const AffineRuns& runs, const Conditions& conditions, Numbers& numbers) {
  std::vector<AtLayer> found;
  const auto own = runs.run_few({});
  const auto layers = static_cast<double>(runs.layers());
  std::map<std::pair<Tokens, Source>, double> means;
  double null = 0;
  double control = 0;
  for (size_t layer = 0; layer < runs.layers(); ++layer) {
    const auto change = [&](const std::set<Source>& sources, Tokens tokens) {
      const auto replaced =
          runs.run_few({.sources = sources, .layer = layer, .tokens = tokens, .dose = 1, .before = {}});
      return mean(changes_of(own, replaced));
    };
    for (const Tokens tokens : kTokensByLayer) {
      for (const Source source : kByLayer) {
        found.push_back({source, layer, tokens, change({source}, tokens)});
        means[{tokens, source}] += found.back().change / layers;
      }
    }
    null += change({Source::value}, Tokens::all) / layers;
    control += change(set_of(kFive), Tokens::all) / layers;
    conditions.progress(0.5 + 0.5 * static_cast<double>(layer + 1) / layers);
  }
  for (const Tokens tokens : kTokensByLayer) {
    for (const Source source : kByLayer) {
      const LocalizedText label =
          localize("non_linearity.of_source.one_layer", {{"source", words_of(source)}, {"tokens", words_of(tokens)}});
      numbers.add(NumberBuilder(name_of(source).of(one_layer(tokens)), label, means.at({tokens, source}))
                      .null(null, of_null())
                      .control(control, of_control()));
    }
  }
  return found;
}

/// Where [CLS] and the words differ most in what a normalisation is given, if one slope cannot fit both.
std::optional<LocalizedText> remark_on_first(const AffineFits& fits) {
  const Deviations* most = nullptr;
  std::pair<Source, size_t> place;
  const auto ratio = [](const Deviations& one) {
    return one.count > 0 && one.words > 0 ? one.first / one.texts * one.count / one.words : 0;
  };
  for (const auto& [at, deviations] : fits.deviations) {
    if (at.first != Source::attention_norm && at.first != Source::output_norm) continue;
    if (most == nullptr || ratio(deviations) > ratio(*most)) {
      most = &deviations;
      place = at;
    }
  }
  if (most == nullptr || ratio(*most) < kFarLonger) return {};
  return localize("non_linearity.remarks.first", {{"source", words_of(place.first)},
                                                  {"layer", place.second + 1},
                                                  {"first", most->first / most->texts},
                                                  {"words", most->words / most->count}});
}

Findings run_non_linearity(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const bool has_layers = subject.model && subject.model->config().num_hidden_layers > 0;
  if (!has_layers) {
    findings.gaps["Q7"] = localize("non_linearity.gaps.no_layer");
    return findings;
  }
  const AffineTexts texts = affine_texts(subject, conditions);
  if (const auto few = too_few(texts.measured.batch.texts(), localize("non_linearity.measured_texts"))) {
    findings.gaps["Q7"] = *few;
    return findings;
  }
  const AffineRuns runs(subject, texts, conditions.seed);
  conditions.progress(0.2);
  Numbers& numbers = findings.numbers["Q7"];
  measure_small_doses(runs, conditions, numbers);
  conditions.progress(0.35);
  findings.figures.push_back(sources_figure(measure_sources(runs, conditions, numbers)));
  measure_heads(runs, numbers);
  measure_curvature(runs, conditions, numbers);
  conditions.progress(0.5);
  findings.figures.push_back(layers_figure(measure_layers(runs, conditions, numbers)));
  if (conditions.quick) {
    findings.left_out.push_back(localize("non_linearity.left_out", {{"few", kQuickAffine.texts / 2},
                                                                    {"short", kQuickAffine.longest},
                                                                    {"few_by_layer", kQuickAffine.few},
                                                                    {"many", kFullAffine.texts / 2},
                                                                    {"long", kFullAffine.longest},
                                                                    {"many_by_layer", kFullAffine.few}}));
  }
  findings.remarks.push_back(localize("non_linearity.remarks.fits"));
  if (const auto remark = remark_on_first(runs.fits())) findings.remarks.push_back(*remark);
  if (lacks_masked_language(subject)) findings.remarks.push_back(localize("non_linearity.remarks.no_head"));
  conditions.progress(1);
  return findings;
}

const Number& at_small_dose(const Numbers& numbers, Source source) {
  return numbers.at(name_of(source).of(kSmallDose));
}

FormatArgs measured(const Numbers& numbers) {
  const Number& ratio = numbers.at(kRatio);
  const auto of = [&](Source source) { return at_small_dose(numbers, source).value; };
  return {{"ratio", ratio.value},
          {"low", ratio.interval->low},
          {"high", ratio.interval->high},
          {"ratio_all", numbers.value(kRatioOfAll)},
          {"dose", kDose},
          {"gelu", of(Source::gelu)},
          {"self_attention", of(Source::self_attention)},
          {"attention_norm", of(Source::attention_norm)},
          {"output_norm", of(Source::output_norm)},
          {"input_norm", of(Source::input_norm)},
          {"named", std::min(of(Source::gelu), of(Source::self_attention))},
          {"others", std::max({of(Source::attention_norm), of(Source::output_norm), of(Source::input_norm)})},
          {"curvature", numbers.value(kCurvature)},
          {"curvature_low", numbers.at(kCurvature).interval->low},
          {"curvature_high", numbers.at(kCurvature).interval->high}};
}

struct RuleInputs {
  Interval ratio;      ///< of the normalisations to the named ones
  Interval curvature;  ///< that is left without the named ones
};

Observation evaluate(const RuleInputs& one) {
  if (one.ratio.high < kClearlyLess && one.curvature.high < kClearlyLess) return Observation::holds;
  return one.ratio.low >= kAsMuch ? Observation::fails : Observation::cannot_be_told;
}

Verdict judge_non_linearity(const Numbers& numbers) {
  const Number& ratio = numbers.at(kRatio);
  const Number& curvature = numbers.at(kCurvature);
  bool moves = false;
  bool one_moves = false;  // of the normalisations
  bool none_moves = true;
  for (const Source source : kFive) {
    const Number& change = at_small_dose(numbers, source);
    moves = moves || change.value > kNothing;
    if (std::ranges::count(kOthers, source) == 0) continue;
    one_moves = one_moves || change.interval->low > kNothing;
    none_moves = none_moves && change.interval->high <= kNothing;
  }
  const auto inputs = controlled(numbers, [](const NumberReader& of) {
    return RuleInputs{of.interval(kRatio), of.interval(kCurvature)};
  });
  const bool controls_pass =
      moves && at_small_dose(numbers, Source::gelu).null->value <= kNothing && inputs.controls_pass(evaluate);
  Verdict verdict;
  verdict.observation = observation_if(controls_pass, evaluate(inputs.own));
  verdict.number = deciding_number(
      {{kRatio, ratio.interval->high < kClearlyLess}, {kCurvature, curvature.interval->high < kClearlyLess}});
  if (controls_pass && one_moves) {
    verdict.inference = Inference::does_not_follow;
  } else if (verdict.observation == Observation::holds && none_moves && curvature.interval->high <= kLittleLeft) {
    verdict.inference = Inference::follows;
  }
  verdict.reason = localize("non_linearity.reason", measured(numbers));
  return verdict;
}

LocalizedText answer_non_linearity(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q7")) return gap_answer(findings.gaps.at("Q7"));
  const Numbers& numbers = findings.numbers.at("Q7");
  const Verdict& verdict = verdicts.at("Q7");
  const char* headline = "cannot_be_told";
  if (verdict.observation == Observation::fails) headline = "not_mostly";
  if (verdict.observation == Observation::holds) headline = "mainly";
  if (verdict.observation == Observation::holds && verdict.inference == Inference::does_not_follow) {
    headline = "not_alone";
  }
  if (verdict.inference == Inference::follows) headline = "alone";
  FormatArgs args = measured(numbers);
  args.emplace_back("curvature_percent", 100 * numbers.value(kCurvature));
  args.emplace_back("headline", localize(std::string("non_linearity.headlines.") + headline));
  return localize("non_linearity.answer", args);
}

}  // namespace
}  // namespace non_linearity

Experiment non_linearity_experiment() {
  using namespace non_linearity;
  Experiment experiment = described_experiment("non_linearity", settings());
  experiment.effort = 43;
  experiment.needs_positions = false;
  experiment.rules = {described_rule("non_linearity", "Q7", judge_non_linearity, settings())};
  experiment.run = run_non_linearity;
  experiment.answer = answer_non_linearity;
  return experiment;
}

}  // namespace summand::lab
