// Q7: where does the model's non-linearity come from, and are GELU and self-attention all of it?
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

namespace non_linearity {
namespace {

constexpr double kNothing = 1e-4;     // 1 − cosine that rounding and a fit of an affine map stay below
constexpr double kClearlyLess = 0.5;  // of the lesser of the two named sources; the rule says it in words
constexpr double kSomeLeft = 0.05;    // of the model's own second difference

constexpr NumberName kPoolerTanh{"non_linearity", "pooler_tanh"};
constexpr NumberName kHeadGelu{"non_linearity", "head_gelu_loss"};
constexpr NumberName kHeadNorm{"non_linearity", "head_norm_loss"};
constexpr NumberName kCurvature{"non_linearity", "curvature_without_the_two"};
constexpr const char* kOneLayer = "one_layer";  // of a source's family

constexpr std::array kNamed{Source::gelu, Source::self_attention};
constexpr std::array kOthers{Source::attention_norm, Source::output_norm, Source::input_norm};
constexpr std::array kShown{Source::gelu,           Source::self_attention, Source::softmax,
                            Source::attention_norm, Source::output_norm,    Source::input_norm};

const Replacement kEverything{
    .sources = {Source::gelu, Source::self_attention, Source::attention_norm, Source::output_norm, Source::input_norm}};

/// What the texts say of the constants.
Fills settings() {
  return {{"nothing", kNothing}, {"left_percent", 100 * kSomeLeft}};
}

Words of_null() {
  return wording("non_linearity.value_replaced");
}

Words of_control() {
  return wording("non_linearity.all_replaced");
}

/// One of a source's family. @param what  is measured: "loss"
Measured of_source(Source source, const char* what, double value) {
  const Words label = wording(std::string("non_linearity.of_source.") + what, {{"source", words_of(source)}});
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
    const Words label = wording("non_linearity.of_source.vectors", {{"source", words_of(source)}});
    numbers.add(Measured(name_of(source).name, label, mean(changes))
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
    numbers.add(Measured(kPoolerTanh, pooler->replaced)
                    .null(pooler->null, wording("non_linearity.pooler_dense_replaced"))
                    .control(pooler->control, wording("non_linearity.pooler_mean")));
  }
  if (const auto head = runs.head()) {
    const auto add = [&](const NumberName& name, double value) {
      numbers.add(Measured(name, value)
                      .null(head->null, wording("non_linearity.head_dense_replaced"))
                      .control(head->both, wording("non_linearity.head_both_replaced")));
    };
    add(kHeadGelu, head->gelu);
    add(kHeadNorm, head->norm);
  }
}

void measure_curvature(const AffineRuns& runs, Numbers& numbers) {
  const double own = runs.second_difference({});
  const double none = runs.second_difference(kEverything);
  const double two = runs.second_difference({.sources = {kNamed.begin(), kNamed.end()}});
  numbers.add(
      Measured(kCurvature, two).null(own, wording("non_linearity.nothing_replaced")).control(none, of_control()));
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
    numbers.add(of_source(kByLayer[i], kOneLayer, means[i]).null(null, of_null()).control(control, of_control()));
  }
  return found;
}

Findings run_non_linearity(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const bool has_layers = subject.model && subject.model->config().num_hidden_layers > 0;
  const auto texts = has_layers ? affine_texts(subject, conditions) : std::nullopt;
  if (!texts) {
    findings.gaps["Q7"] = wording("non_linearity.gaps.no_layer");
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
    findings.left_out.push_back(wording("non_linearity.left_out", {{"few", kQuickAffine.texts / 2},
                                                                   {"short", kQuickAffine.longest},
                                                                   {"few_by_layer", kQuickAffine.few},
                                                                   {"many", kFullAffine.texts / 2},
                                                                   {"long", kFullAffine.longest},
                                                                   {"many_by_layer", kFullAffine.few}}));
  }
  findings.remarks.push_back(wording("non_linearity.remarks.fits"));
  if (lacks_masked_language(subject)) findings.remarks.push_back(wording("non_linearity.remarks.no_head"));
  conditions.progress(1);
  return findings;
}

double value_of(const Numbers& numbers, Source source) {
  return numbers.value(name_of(source));
}

template <class Sources>
std::vector<double> values_of(const Numbers& numbers, const Sources& sources) {
  std::vector<double> values;
  for (const Source source : sources) values.push_back(value_of(numbers, source));
  return values;
}

/// Of the model's curvature, with the two named sources replaced.
double percent_left(const Numbers& numbers) {
  const double own = numbers.null(kCurvature);
  return own > 0 ? 100 * numbers.value(kCurvature) / own : 0;
}

Verdict judge_non_linearity(const Numbers& numbers) {
  const double least = std::ranges::min(values_of(numbers, kNamed));
  const double other = std::ranges::max(values_of(numbers, kOthers));
  const double left = numbers.value(kCurvature);
  const double own = numbers.null(kCurvature);
  const double none = numbers.control(kCurvature);
  Verdict verdict;
  if (numbers.null(name_of(Source::gelu)) > kNothing || numbers.control(name_of(Source::gelu)) <= kNothing ||
      least <= kNothing) {
    verdict.observation = Observation::cannot_be_told;
  } else if (other >= least) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = other < kClearlyLess * least ? Observation::holds : Observation::cannot_be_told;
  }
  if (own > 0 && none < kSomeLeft * own) {
    verdict.inference = left >= kSomeLeft * own ? Inference::does_not_follow : Inference::follows;
  }
  verdict.reason =
      wording("non_linearity.reason", {{"gelu", value_of(numbers, Source::gelu)},
                                       {"self_attention", value_of(numbers, Source::self_attention)},
                                       {"attention_norm", value_of(numbers, Source::attention_norm)},
                                       {"output_norm", value_of(numbers, Source::output_norm)},
                                       {"input_norm", value_of(numbers, Source::input_norm)},
                                       {"one_layer", numbers.value(name_of(Source::output_norm).of(kOneLayer))},
                                       {"left", percent_left(numbers)}});
  return verdict;
}

Words answer_non_linearity(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q7")) return findings.gaps.at("Q7");
  const Numbers& numbers = findings.numbers.at("Q7");
  const bool complete = verdicts.at("Q7").inference == Inference::follows;
  return wording(
      "non_linearity.answer",
      {{"headline", wording(complete ? "non_linearity.headlines.almost_alone" : "non_linearity.headlines.not_alone")},
       {"left", percent_left(numbers)},
       {"gelu", value_of(numbers, Source::gelu)},
       {"self_attention", value_of(numbers, Source::self_attention)},
       {"others", std::ranges::max(values_of(numbers, kOthers))}});
}

}  // namespace
}  // namespace non_linearity

Experiment non_linearity_experiment() {
  using namespace non_linearity;
  Experiment experiment = described_experiment("non_linearity", settings());
  experiment.effort = 20;
  experiment.rules = {described_rule("non_linearity", "Q7", judge_non_linearity, settings())};
  experiment.run = run_non_linearity;
  experiment.answer = answer_non_linearity;
  return experiment;
}

}  // namespace summand::lab
