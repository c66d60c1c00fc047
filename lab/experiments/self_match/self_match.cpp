// Q1: without the maps of queries, keys and values, does every word look at itself?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/self_match/own_match.hpp"
#include "lab/experiments/self_match/replaced_maps.hpp"
#include "lab/experiments/self_match/self_match_figures.hpp"
#include "lab/probing/balanced_maps.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/norm_outputs.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace self_match {
namespace {

constexpr double kLargest = 0.95;       // of the words: "the largest"
constexpr double kPlantedLogit = 1000;  // of the control: e^(−1000·(1 − cos)) is
                                        // nothing at any cosine below .99
constexpr double kSpread = 0.2;         // of the logarithm of the norms
constexpr double kDrawnSpread = 0.5;    // the same, of norms that are known to differ
constexpr size_t kShortest = 6;         // tokens

constexpr NumberName kOwn{"self_match", "own"};
constexpr NumberName kAllRows{"self_match", "own_all_rows"};
constexpr NumberName kAsTheyAre{"self_match", "own_norms_as_they_are"};
constexpr NumberName kOwnMargin{"self_match", "own_margin"};
constexpr NumberName kNormSpread{"self_match", "norm_spread"};
constexpr NumberName kCarried{"self_match", "carried"};
constexpr NumberName kCarriedValues{"self_match", "carried_values"};
constexpr NumberName kTrained{"self_match", "trained"};
constexpr NumberName kTrainedLargestHead{"self_match", "trained_largest_head"};
constexpr NumberName kQuarter{"self_match", "quarter"};
constexpr NumberName kFourfold{"self_match", "fourfold"};
constexpr NumberName kSpreadNorms{"self_match", "spread"};
constexpr NumberName kSlices{"self_match", "slices"};
constexpr NumberName kTrainedFirstLayer{"self_match", "trained_first_layer"};
constexpr NumberName kTied{"self_match", "tied"};
constexpr NumberName kRandomMaps{"self_match", "random_maps"};

constexpr size_t kResamplings = 1000;  // of texts

/// How much is measured. What one layer tells is cheap: quick runs take as much of it.
struct Size {
  size_t texts = 60;
  size_t tokens = 96;  ///< of a text, at most
};
constexpr Size kFull{};
constexpr Size kQuick{.texts = 10, .tokens = 48};  ///< of what runs through all layers

/// "1,000".
LocalizedText grouped(double count) {
  const auto whole = static_cast<size_t>(count);
  return {fmt::format("{}", fmt::group_digits(whole)), std::to_string(whole)};
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"largest", 100 * kLargest},
          {"logit", grouped(kPlantedLogit)},
          {"spread", kSpread},
          {"drawn_spread", kDrawnSpread},
          {"shortest", kShortest}};
}

/// The same run of a model, of its null and of its control.
using Matched = Controlled<OwnMatches>;

Matched matched(const ChangedModel& model, const Texts& texts, const ChangeQueryKey& change, uint64_t seed) {
  const auto engine = model.engine(1);
  const auto heads = static_cast<size_t>(model.config.num_attention_heads);
  return {.own = own_matches(engine, texts, change),
          .null = own_matches(engine, texts, both(change, shuffled_keys(seed))),
          .control = own_matches(engine, texts, equal_norms(heads, kPlantedLogit))};
}

LocalizedText words_of_null() {
  return localize("self_match.beside.shuffled_keys");
}
/// @param factor  on the logits
LocalizedText words_of_control(double factor = 1) {
  return localize("self_match.beside.equal_keys", {{"logit", grouped(factor * kPlantedLogit)}});
}

/// Three numbers of what `part` takes from a run.
template <class Part>
void add(Numbers& numbers, const Matched& matched, const NumberName& family, const Part& part) {
  const auto bare_numbers = [&](const OwnMatches& matches) {
    const OwnMatch match = part(matches);
    FormatArgs args = settings();
    args.emplace_back("cases", match.rows);
    return bare_numbers_of(match, family, args);
  };
  numbers.add(with_references(bare_numbers(matched.own), {words_of_null(), bare_numbers(matched.null)},
                              {words_of_control(), bare_numbers(matched.control)}));
}

NumberAdder<OwnMatches> adder(Numbers& numbers, const Matched& matched) {
  return {numbers, matched, words_of_null(), words_of_control()};
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

Interval over_texts(const OwnMatches& matches, double OwnMatch::*what, OwnRows rows, const Conditions& conditions) {
  return bootstrap_share(matches.texts, static_cast<size_t>(matches.layer(0, rows).rows),
                         [&](std::span<const size_t> chosen) {
                           const OwnMatch match = matches.chosen(chosen, rows);
                           return match.*what / match.rows;
                         },
                         {.seed = conditions.seed,
                          .name = "self match: texts",
                          .count = kResamplings,
                          .threads = thread_count(conditions)});
}

/// The same three of the first layer, with intervals over texts: of the model, of its null and of its control.
void add_over_texts(Numbers& numbers, const Matched& matched, const NumberName& family, OwnRows rows,
                    const Conditions& conditions) {
  Numbers three;
  add(three, matched, family, [&](const OwnMatches& matches) { return matches.layer(0, rows); });
  for (Number number : three.all()) {
    const auto what = number.name == family.of(kFirst)    ? &OwnMatch::first
                      : number.name == family.of(kWeight) ? &OwnMatch::weight
                                                          : &OwnMatch::dominates;
    number.interval = over_texts(matched.own, what, rows, conditions);
    number.null->interval = over_texts(matched.null, what, rows, conditions);
    number.control->interval = over_texts(matched.control, what, rows, conditions);
    numbers.add(std::move(number));
  }
}

/// The claim's own condition: norms made equal; then with the norms as they are.
void measure_identity(const ChangedModel& first_layer, const Texts& texts, const Conditions& conditions,
                      Numbers& numbers) {
  const Matched equal = matched(first_layer, texts, spread_norms(0, conditions.seed), conditions.seed);
  add_over_texts(numbers, equal, kOwn, OwnRows::words, conditions);
  add_over_texts(numbers, equal, kAllRows, OwnRows::all, conditions);
  const Matched as_they_are = matched(first_layer, texts, {}, conditions.seed);
  add_over_texts(numbers, as_they_are, kAsTheyAre, OwnRows::words, conditions);
  const auto margin = [](const OwnMatches& matches) {
    const OwnMatch first = matches.layer(0);
    return first.margin / first.rows;
  };
  adder(numbers, as_they_are)(kOwnMargin, margin);
}

/// How much the norms differ that Cauchy and Schwarz ask to be equal.
void measure_norms(const Subject& subject, const Texts& texts, const Conditions& conditions, Numbers& numbers) {
  const auto model = first_layer_of(changed_model(subject));
  const auto states = run_texts(model.engine(conditions.threads), texts.batch, SentenceVector::mean);
  const Table inputs = states.states.front().rowwise() - attention_inputs(model.weights, 0).bias().transpose();
  RandomStream stream(conditions.seed, "self match: norms");
  Table spread = inputs;
  Table equal = inputs;
  for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
    const double norm = std::max(inputs.row(i).norm(), 1e-30);
    spread.row(i) *= std::exp(kDrawnSpread * stream.normal()) / norm;
    equal.row(i) /= norm;
  }
  numbers.add(NumberBuilder(kNormSpread, norm_spread(inputs, texts.batch))
                  .null(norm_spread(spread, texts.batch), localize("self_match.beside.drawn_norms", settings()))
                  .control(norm_spread(equal, texts.batch), localize("self_match.beside.equal_norms")));
}

/// What changes with temperature and norms, all without maps.
void sweep(const Subject& subject, const Texts& texts, const Conditions& conditions, Findings& findings) {
  const auto model = changed_model(subject);
  const auto heads = model.config.num_attention_heads;
  const auto one = first_layer_of(with_identity(model, Identity::queries_keys_values, 1)).engine(1);
  const auto by_heads = first_layer_of(with_identity(model, Identity::queries_keys_values, heads)).engine(1);
  findings.figures.push_back(
      own_temperature_figure({over_factors(one, texts, {}, kOwnFactors), over_factors(by_heads, texts, {}, kOwnFactors),
                              over_factors(model.engine(1), texts, {}, kOwnFactors),
                              over_factors(one, texts, spread_norms(0, conditions.seed), kOwnFactors)}));
  std::vector<OwnMatch> spread;
  for (const double one_spread : kOwnSpreads) {
    spread.push_back(own_matches(one, texts, spread_norms(one_spread, conditions.seed)).all());
  }
  findings.figures.push_back(own_norms_figure(spread));
}

/// The same with logits a quarter as large, and four times.
void measure_temperature(const ChangedModel& one, const Texts& texts, uint64_t seed, Numbers& numbers) {
  const auto engine = one.engine(1);
  const std::array factors{0.25, 4.0};
  const auto own = over_factors(engine, texts, {}, factors);
  const auto null = over_factors(engine, texts, shuffled_keys(seed), factors);
  const auto control = over_factors(engine, texts, equal_norms(1, kPlantedLogit), factors);
  for (size_t i = 0; i < factors.size(); ++i) {
    const NumberName& family = i == 0 ? kQuarter : kFourfold;
    const auto bare_numbers = [&](const OwnMatch& match) {
      return bare_numbers_of(match, family, {{"factor", factors[i]}});
    };
    for (Number& number : with_references(bare_numbers(own[i]), {words_of_null(), bare_numbers(null[i])},
                                          {words_of_control(factors[i]), bare_numbers(control[i])})) {
      if (number.name != family.of(kFirst)) numbers.add(std::move(number));
    }
  }
}

/// First layers that are changed in other ways.
void measure_others(const Subject& subject, const Texts& texts, const Conditions& conditions, Numbers& numbers) {
  const uint64_t seed = conditions.seed;
  const auto first = first_layer_of(changed_model(subject));
  const auto one = with_identity(first, Identity::queries_keys_values, 1);
  measure_temperature(one, texts, seed, numbers);
  add(numbers, matched(one, texts, spread_norms(kSpread, seed), seed), kSpreadNorms, first_of);
  const auto slices = with_identity(first, Identity::queries_keys_values, first.config.num_attention_heads);
  add(numbers, matched(slices, texts, {}, seed), kSlices, first_of);
  add(numbers, matched(with_balanced_maps(first), texts, {}, seed), kTrainedFirstLayer, first_of);
  add_over_texts(numbers, matched(with_tied_maps(first), texts, {}, seed), kTied, OwnRows::words, conditions);
  RandomStream stream(seed, "self match: random maps");
  add(numbers, matched(with_random_maps(first, stream), texts, {}, seed), kRandomMaps, first_of);
}

Texts chosen_texts(const Subject& subject, const Size& size, uint64_t seed) {
  RandomStream stream(seed, "self match: texts");
  return texts_of(subject, {.most = size.texts, .longest = size.tokens, .shortest = kShortest}, stream);
}

Findings run_self_match(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    findings.gaps["Q1"] = localize("self_match.gaps.no_model");
    return findings;
  }
  if (subject.model->config().num_hidden_layers < 1) {
    findings.gaps["Q1"] = localize("self_match.gaps.no_layer");
    return findings;
  }
  const Texts texts = chosen_texts(subject, kFull, conditions.seed);
  if (const auto few = too_few(texts.batch.texts(), texts_from(kShortest))) {
    findings.gaps["Q1"] = *few;
    return findings;
  }
  const Texts few = conditions.quick ? chosen_texts(subject, kQuick, conditions.seed) : texts;
  if (conditions.quick) {
    findings.left_out.push_back(localize("self_match.left_out", {{"few_texts", kQuick.texts},
                                                                 {"few_tokens", kQuick.tokens},
                                                                 {"texts", kFull.texts},
                                                                 {"tokens", kFull.tokens}}));
  }
  Numbers& numbers = findings.numbers["Q1"];
  const auto model = changed_model(subject);
  const auto identity = with_identity(model, Identity::queries_keys_values, 1);
  measure_identity(first_layer_of(identity), texts, conditions, numbers);
  measure_norms(subject, texts, conditions, numbers);
  conditions.progress(0.25);
  const Matched carried = matched(identity, few, {}, conditions.seed);
  add(numbers, carried, kCarried, all_of);
  add(numbers, matched(with_identity(model, Identity::queries_keys, 1), few, {}, conditions.seed), kCarriedValues,
      all_of);
  conditions.progress(0.5);
  const Matched trained = matched(with_balanced_maps(model), few, {}, conditions.seed);
  add(numbers, trained, kTrained, all_of);
  adder(numbers, trained)(kTrainedLargestHead, largest_head);
  conditions.progress(0.7);
  measure_others(subject, texts, conditions, numbers);
  conditions.progress(0.85);
  sweep(subject, few, conditions, findings);
  findings.figures.insert(findings.figures.begin() + 1, own_layers_figure(carried.own, trained.own));
  findings.remarks.push_back(localize("self_match.computed"));
  conditions.progress(1);
  return findings;
}

/// What the reason and the answer say: shares of words in percent.
FormatArgs measured(const Numbers& numbers) {
  const Interval dominates = numbers.at(kOwn.of(kDominates)).interval.value();
  return {{"first", 100 * numbers.value(kOwn.of(kFirst))},
          {"weight", numbers.value(kOwn.of(kWeight))},
          {"dominates", 100 * numbers.value(kOwn.of(kDominates))},
          {"low", 100 * dominates.low},
          {"high", 100 * dominates.high},
          {"norm_spread", numbers.value(kNormSpread)},
          {"first_as_they_are", 100 * numbers.value(kAsTheyAre.of(kFirst))},
          {"dominates_as_they_are", 100 * numbers.value(kAsTheyAre.of(kDominates))},
          {"dominates_all_rows", 100 * numbers.value(kAllRows.of(kDominates))},
          {"trained_weight", numbers.value(kTrained.of(kWeight))},
          {"trained_dominates", 100 * numbers.value(kTrained.of(kDominates))},
          {"tied_dominates", 100 * numbers.value(kTied.of(kDominates))}};
}

/// What the rule reads: the interval over texts, which is a point where all words are alike in all texts. The exact
/// bound, which the number shows there, depends on how many words there are.
Interval read_interval(double value, const std::optional<Interval>& shown) {
  return value <= 0 || value >= 1 ? Interval{value, value} : shown.value();
}

struct RuleInputs {
  Interval first;
  Interval most;
};

Observation evaluate(const RuleInputs& shares) {
  const auto& [first, most] = shares;
  if (first.low >= kLargest && most.low > kMostOfWeight) return Observation::holds;
  return first.high < kLargest || most.high <= kMostOfWeight ? Observation::fails : Observation::cannot_be_told;
}

Verdict judge_self_match(const Numbers& numbers) {
  const Number& first = numbers.at(kOwn.of(kFirst));
  const Number& most = numbers.at(kOwn.of(kDominates));
  const auto inputs = controlled(numbers, [&](const NumberReader& of) {
    const auto read = [&](const Number& number) {
      return read_interval(of.value(number.name), of.interval(number.name));
    };
    return RuleInputs{.first = read(first), .most = read(most)};
  });
  const auto& [first_judged, most_judged] = inputs.own;
  Verdict verdict;
  verdict.observation = inputs.judged_by(evaluate);
  verdict.number =
      verdict.observation == Observation::fails
          ? deciding_number({{first.name, first_judged.high >= kLargest}, {most.name, false}})
          : deciding_number({{most.name, most_judged.low > kMostOfWeight}, {first.name, first_judged.low >= kLargest}});
  const Number& tied_words = numbers.at(kTied.of(kDominates));
  const bool tied_leaves_others = read_interval(tied_words.value, tied_words.interval).high <= kMostOfWeight;
  if (verdict.observation == Observation::fails || tied_leaves_others) {
    verdict.inference = Inference::does_not_follow;
  }
  verdict.reason = localize("self_match.reason", measured(numbers));
  return verdict;
}

LocalizedText answer_self_match(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q1")) return gap_answer(findings.gaps.at("Q1"));
  const Numbers& numbers = findings.numbers.at("Q1");
  const auto seen = verdicts.at("Q1").observation;
  const char* verdict = seen == Observation::holds   ? "self_match.verdicts.holds"
                        : seen == Observation::fails ? "self_match.verdicts.fails"
                                                     : "self_match.verdicts.cannot_be_told";
  const Number& tied_words = numbers.at(kTied.of(kDominates));
  const bool tied = read_interval(tied_words.value, tied_words.interval).high > kMostOfWeight;
  FormatArgs args = measured(numbers);
  args.emplace_back("verdict", localize(verdict));
  args.emplace_back("weight_percent", 100 * numbers.value(kOwn.of(kWeight)));
  args.emplace_back("trained_percent", 100 * numbers.value(kTrained.of(kWeight)));
  args.emplace_back("tied", localize(tied ? "self_match.tied_keys.own" : "self_match.tied_keys.others"));
  return localize("self_match.answer", args);
}

}  // namespace
}  // namespace self_match

Experiment self_match_experiment() {
  using namespace self_match;
  Experiment experiment = described_experiment("self_match", settings());
  experiment.effort = 18;
  experiment.needs_positions = false;
  experiment.rules = {described_rule("self_match", "Q1", judge_self_match, settings())};
  experiment.run = run_self_match;
  experiment.answer = answer_self_match;
  return experiment;
}

}  // namespace summand::lab
