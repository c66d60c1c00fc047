#include "lab/own_experiment/own_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/interventions/intervention_list.hpp"
#include "lab/own_experiment/changed_part.hpp"
#include "lab/own_experiment/own_figure.hpp"
#include "lab/own_experiment/readout.hpp"
#include "lab/own_experiment/setup_file.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/beyond_claims.hpp"

namespace summand::lab::own {

namespace {

constexpr NumberName kEffect{"own_experiment", "effect"};
constexpr NumberName kNullLimit{"own_experiment", "null_limit"};
constexpr NumberName kItems{"own_experiment", "items"};
constexpr NumberName kRepetitions{"own_experiment", "repetitions"};

constexpr double kUpper = 0.975;

LocalizedText change_words(const Change& change) {
  const std::string name = change.kind >= ChangeKind::scale
                               ? kChangesWithNumber[static_cast<size_t>(change.kind) - kPlainChanges.size()]
                               : kPlainChanges[static_cast<size_t>(change.kind)];
  return localize("own_experiment.changes." + name, {{"number", change.number}});
}

LocalizedText intervention_words(const Setup& setup) {
  const LocalizedText part = localize(std::string("own_experiment.parts.") + kParts[static_cast<size_t>(setup.part)]);
  const LocalizedText rows =
      setup.rows ? localize("own_experiment.rows.some", {{"first", setup.rows->first}, {"last", setup.rows->last}})
                 : localize("own_experiment.rows.all");
  return localize("own_experiment.intervention",
                  {{"part", part}, {"rows", rows}, {"change", change_words(setup.change)}});
}

LocalizedText readout_words(ReadoutKind readout) {
  return localize(std::string("own_experiment.readouts.") + kReadouts[static_cast<size_t>(readout)]);
}

LocalizedText null_words(NullKind null) {
  return localize(std::string("own_experiment.nulls.") + kNulls[static_cast<size_t>(null)]);
}

LocalizedText answer_own(const Findings& findings, const std::map<std::string, Verdict>& /*verdicts*/) {
  return sentence_of(findings);
}

size_t repetitions_under(const Setup& setup, const Conditions& conditions) {
  return conditions.quick ? std::min(kLeastRepetitions, setup.repetitions) : setup.repetitions;
}

/// One draw of the null, by the mean over texts.
double null_draw(const Setup& setup, const ChangedPart& part, const Table& changed, const Readout& readout,
                 const engine::Engine& unchanged, int threads, RandomStream& stream) {
  switch (setup.null) {
    case NullKind::random_directions:
      return mean(readout.effects(part.engine(part.moved_as_far(changed, stream), threads), {}));
    case NullKind::shuffled:
      return mean(readout.effects(part.engine(part.shuffled(stream), threads), {}));
    case NullKind::one_word:
      return mean(readout.effects(unchanged, one_word(readout.texts, stream).edit));
  }
  __builtin_unreachable();
}

Effects effects_of(const Setup& setup, const Subject& subject, const Conditions& conditions, const Readout& readout) {
  constexpr size_t kResamplings = 1000;
  const int threads = thread_count(conditions);
  const auto stream_of = [&](const std::string& what) {
    return RandomStream(conditions.seed, "own: " + what);  // not by name: experiments of one seed see the same draws
  };
  const ChangedPart part(setup, subject);
  RandomStream own_stream = stream_of("change");
  const Table changed = part.changed(own_stream);
  const auto values = readout.effects(part.engine(changed, threads), {});
  Effects effects;
  effects.own = mean_over_texts(
      values, {.seed = conditions.seed, .name = "own: bootstrap", .count = kResamplings, .threads = threads});
  const auto unchanged = changed_model(subject).engine(threads);
  RandomStream dealt = stream_of("words dealt");
  effects.control = mean(readout.effects(unchanged, words_dealt(readout.texts, dealt).edit));
  const size_t count = repetitions_under(setup, conditions);
  for (size_t i = 0; i < count; ++i) {
    RandomStream stream = stream_of(fmt::format("null {}", i));
    effects.null.push_back(null_draw(setup, part, changed, readout, unchanged, threads, stream));
    conditions.progress(static_cast<double>(i + 1) / static_cast<double>(count));
  }
  effects.limit = quantile(effects.null, kUpper);
  return effects;
}

}  // namespace

OwnExperiment read_own_experiment(const std::filesystem::path& file) {
  OwnExperiment own{.setup = read_setup(file), .experiment = {}};
  const Setup& setup = own.setup;
  const FormatArgs args{{"intervention", intervention_words(setup)},
                        {"readout", readout_words(setup.readout)},
                        {"null", null_words(setup.null)},
                        {"repetitions", setup.repetitions}};
  Experiment& experiment = own.experiment;
  experiment.name = setup.name;
  experiment.title = {setup.title, setup.title};
  experiment.question = localize("own_experiment.question", args);
  experiment.definition = localize("own_experiment.definition", args);
  experiment.source = localize("own_experiment.source");
  experiment.null = localize("own_experiment.null", args);
  experiment.control = localize("own_experiment.control");
  experiment.needs_positions = setup.part == Part::position;
  experiment.answer = answer_own;
  return own;
}

void check(const OwnExperiment& own, const Subject& subject) {
  require_claims(subject);
  const ChangedPart part(own.setup, subject);
  check_readout(own.setup, subject);
}

Findings find(const OwnExperiment& own, const Subject& subject, const Conditions& conditions) {
  const Setup& setup = own.setup;
  const Readout readout = readout_of(setup, subject, conditions);
  const Effects effects = effects_of(setup, subject, conditions, readout);
  const LocalizedText read = readout_words(setup.readout);
  Findings findings;
  Numbers& numbers = findings.numbers[kNoClaim];
  numbers.add(NumberBuilder(kEffect, effects.own, {{"readout", read}, {"intervention", intervention_words(setup)}})
                  .null(median_estimate(effects.null), null_words(setup.null))
                  .control(effects.control, localize("own_experiment.words_dealt")));
  numbers.add(NumberBuilder(kNullLimit, effects.limit));
  numbers.add(NumberBuilder(kItems, static_cast<double>(readout.items)));
  numbers.add(NumberBuilder(kRepetitions, static_cast<double>(effects.null.size())));
  findings.figures.push_back(effects_figure(setup.name, effects, read));
  if (conditions.quick) {
    findings.left_out.push_back(
        localize("own_experiment.left_out", {{"few", effects.null.size()}, {"many", setup.repetitions}}));
  }
  return findings;
}

LocalizedText sentence_of(const Findings& findings) {
  const Numbers& numbers = findings.numbers.at(kNoClaim);
  const Number& effect = numbers.at(kEffect);
  const double limit = numbers.value(kNullLimit);
  if (effect.null->interval->low == 0 && effect.null->interval->high == 0) {
    return localize("own_experiment.answer_without_null", {{"label", effect.label},
                                                           {"effect", effect.value},
                                                           {"low", effect.interval->low},
                                                           {"high", effect.interval->high},
                                                           {"items", numbers.value(kItems)},
                                                           {"repetitions", numbers.value(kRepetitions)},
                                                           {"null", effect.null->of},
                                                           {"dealt", effect.control->value}});
  }
  const LocalizedText side =
      localize(effect.value > limit ? "own_experiment.sides.above" : "own_experiment.sides.not_above");
  return localize("own_experiment.answer", {{"label", effect.label},
                                            {"effect", effect.value},
                                            {"low", effect.interval->low},
                                            {"high", effect.interval->high},
                                            {"items", numbers.value(kItems)},
                                            {"side", side},
                                            {"limit", limit},
                                            {"middle", effect.null->value},
                                            {"repetitions", numbers.value(kRepetitions)},
                                            {"null", effect.null->of},
                                            {"dealt", effect.control->value}});
}

}  // namespace summand::lab::own
