// 3.3: can a linear probe tell token, position and segment apart, layer by layer?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "base/random_stream.hpp"
#include "base/thread_pool.hpp"
#include "engine/engine.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/half_away_from_zero.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/probes/erased_states.hpp"
#include "lab/experiments/probes/probe_numbers.hpp"
#include "lab/experiments/probes/probe_tasks.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"
#include "model/batch.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

namespace probes {
namespace {

using Eigen::Index;

constexpr double kMostLayers = 0.5;  // of the layers: "subsequent layers"

constexpr int32_t kLeastPositions = 16;
constexpr size_t kLeastWords = 32;
constexpr size_t kLeastKinds = 8;

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"penalty", kPenalty},          {"most_tokens", kMostTokens}, {"reads", kReads},
          {"positions", kLeastPositions}, {"words", kLeastWords},       {"kinds", kLeastKinds}};
}

/// The same configuration as before training: every parameter drawn from a stream of its own name.
model::Weights untrained_weights(const model::Config& config, const Conditions& conditions) {
  constexpr double kRangeOfBert = 0.02;  // where the file gives none that tells rows apart
  const double range = config.initializer_range > 0 ? config.initializer_range : kRangeOfBert;
  model::Weights weights;
  for (const auto& parameter : model::parameters(config, {})) {
    std::vector<float> values(model::elements(parameter),
                              parameter.initialiser == model::Initialiser::ones ? 1.0F : 0.0F);
    if (parameter.initialiser == model::Initialiser::normal) {
      RandomStream stream(conditions.seed, "probes: " + parameter.name);
      for (float& value : values) value = static_cast<float>(range * stream.normal());
    }
    weights.set(parameter.name, model::make_tensor(parameter.shape, values));
  }
  return weights;
}

/// The rows of one table that the texts add.
Table rows_of(const Table& table, const std::vector<int32_t>& rows) {
  Table picked(static_cast<Index>(rows.size()), table.cols());
  for (size_t i = 0; i < rows.size(); ++i)
    picked.row(static_cast<Index>(i)) = table.row(std::min<Index>(rows[i], table.rows() - 1));
  return picked;
}

std::vector<Matrix<float>> all_states(const engine::Engine& engine, const model::Batch& batch, size_t layers) {
  std::vector<size_t> wanted(layers + 1);
  std::iota(wanted.begin(), wanted.end(), size_t{0});
  return engine::hidden_states(engine, batch, wanted);
}

std::vector<LayerProbes> probe_layers(const std::vector<Matrix<float>>& states, const ProbeTasks& tasks, size_t parts,
                                      const Conditions& conditions) {
  std::vector<LayerProbes> probed(states.size());
  ThreadPool::shared().run(states.size(), thread_count(conditions), [&](size_t layer, int) {
    const Table features = table_of(states[layer].view());
    for (size_t part = 0; part < parts; ++part) {
      probed[layer].right[part] = probe(features, tasks.probes[part]);
      probed[layer].control_task[part] = rate_of(probe(features, tasks.controls[part]));
    }
  });
  return probed;
}

/// How many of the three there are: without a second segment, two.
size_t parts_of(const Subject& subject) {
  return subject.segments.rows() > 1 && subject.model->config().type_vocab_size > 1 ? kProbedParts : segment;
}

Probed probed_of(const Subject& subject, const Conditions& conditions) {
  const Size size = size_of(conditions);
  const auto length = std::min(size.length, static_cast<size_t>(subject.model->config().max_position_embeddings));
  RandomStream stream(conditions.seed, "probes: texts");
  const auto texts = probe_texts(subject, size.texts, length, stream);
  const size_t parts = parts_of(subject);
  Probed probed;
  probed.text = texts.text;
  probed.tasks = probe_tasks(texts, length, conditions);
  const auto& config = subject.model->config();
  const auto layers = static_cast<size_t>(config.num_hidden_layers);
  const auto states = all_states(subject.model->engine(), texts.batch, layers);
  probed.trained = probe_layers(states, probed.tasks, parts, conditions);
  conditions.progress(0.45);
  probed.erased = erased_places(
      {.subject = subject, .texts = texts, .states = states, .tasks = probed.tasks, .parts = parts, .few = size.erased},
      conditions);
  conditions.progress(0.6);
  const engine::Engine untrained(config, untrained_weights(config, conditions), {.threads = conditions.threads});
  probed.untrained = probe_layers(all_states(untrained, texts.batch, layers), probed.tasks, parts, conditions);
  conditions.progress(0.95);
  const std::array<Table, kProbedParts> own{rows_of(subject.tokens, texts.batch.ids),
                                            rows_of(subject.positions, texts.batch.positions),
                                            rows_of(subject.segments, texts.batch.segments)};
  for (size_t part = 0; part < parts; ++part) {
    probed.own_row.right[part] = probe(own[part], probed.tasks.probes[part]);
    probed.own_row.control_task[part] = rate_of(probe(own[dealt_to(part)], probed.tasks.controls[part]));
    probed.majority[part] = majority(probed.tasks.probes[part]);
  }
  probed.position_of_tokens = probe(own[token], probed.tasks.probes[position]);
  return probed;
}

Figure layers_figure(const Probed& probed, size_t parts) {
  using namespace chart;
  const auto text = [](const char* name) { return localize(std::string("probes.figures.probes-layers.") + name); };
  const std::vector<Series> series{
      {text("trained"), {.colour = "@blue", .width = 3}},
      {text("untrained"), {.colour = "@faint", .dash = {6, 3}, .shape = "square"}},
      {text("control_task"), {.colour = "@orange", .dash = {2, 2}, .shape = "triangle-up"}}};
  std::vector<double> layer;
  std::vector<double> accuracy_column;
  std::vector<LocalizedText> what;
  std::vector<LocalizedText> which;
  std::vector<LocalizedText> order;
  for (size_t part = 0; part < parts; ++part) {
    order.push_back(series_of_parts()[part].words);
    for (size_t at = 0; at < probed.trained.size(); ++at) {
      const std::array values{rate_of(probed.trained[at].right[part]), rate_of(probed.untrained[at].right[part]),
                              probed.trained[at].control_task[part]};
      for (size_t i = 0; i < values.size(); ++i) {
        layer.push_back(static_cast<double>(at));
        accuracy_column.push_back(values[i]);
        what.push_back(order.back());
        which.push_back(series[i].words);
      }
    }
  }
  const Json y = scaled(number("accuracy", text("accuracy")), {{"domain", {0, 1}}});
  return {.name = "probes-layers",
          .title = text("title"),
          .caption = text("caption"),
          .specification =
              facets(name("part", text("part")), order,
                     mark({{"type", "line"}, {"point", true}},
                          of_lines({{"x", whole("layer", text("layer"))}, {"y", y}}, "of", text("of"), series)),
                     {.least = 290, .most = 3, .axis = 66, .height = 220}),
          .data = FigureData{{{"layer", layer}, {"accuracy", accuracy_column}, {"part", what}, {"of", which}}}};
}

std::optional<LocalizedText> lacks_probes(const Subject& subject) {
  if (auto lacking = lacks_sum(subject)) return lacking;
  size_t words = 0;
  std::set<int32_t> types;
  for (const auto& sentence : subject.corpus.sentences) {
    for (size_t i = 0; i < sentence.ids.size(); ++i) {
      if (sentence.special[i]) continue;
      ++words;
      types.insert(sentence.ids[i]);
    }
  }
  const auto& config = subject.model->config();
  const bool fits =
      subject.tokens.rows() == config.vocab_size && subject.positions.rows() == config.max_position_embeddings;
  if (!fits || words < kLeastWords || types.size() < kLeastKinds || config.max_position_embeddings < kLeastPositions ||
      config.num_hidden_layers < 1) {
    return localize("probes.gaps.corpus", settings());
  }
  return {};
}

Findings run_probes(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_probes(subject)) {
    findings.gaps["3.3"] = *lacking;
    return findings;
  }
  const size_t parts = parts_of(subject);
  const Probed probed = probed_of(subject, conditions);
  for (size_t part = 0; part < parts; ++part) {
    if (const auto few = too_few(judged_texts(probed, part), localize("probes.judged_texts"))) {
      findings.gaps["3.3"] = *few;
      return findings;
    }
  }
  add_numbers(probed, parts, conditions, findings.numbers["3.3"]);
  findings.figures.push_back(layers_figure(probed, parts));
  if (conditions.quick) {
    findings.left_out.push_back(localize("probes.left_out", {{"few_texts", kQuick.texts},
                                                             {"many_texts", kFull.texts},
                                                             {"few_tokens", kQuick.length},
                                                             {"many_tokens", kFull.length},
                                                             {"few_resamplings", kQuick.resamplings},
                                                             {"many_resamplings", kFull.resamplings},
                                                             {"few_erased", kQuick.erased},
                                                             {"many_erased", kFull.erased}}));
  }
  if (parts < kProbedParts) findings.remarks.push_back(localize("probes.remarks.one_segment"));
  findings.remarks.push_back(localize("probes.remarks.mixed"));
  conditions.progress(1);
  return findings;
}

/// Accuracies of a part behind each layer: "0.99, 0.95".
std::string by_layer(const Numbers& numbers, size_t part) {
  std::string list;
  for (size_t layer = 1;; ++layer) {
    const Number* number = find_number(numbers, name_behind(part, layer));
    if (number == nullptr) return list;
    list += fmt::format("{}{:.2f}", layer > 1 ? ", " : "", HalfAwayFromZero{number->value});
  }
}

size_t layers_of(const Numbers& numbers) {
  size_t layer = 0;
  while (find_number(numbers, name_behind(position, layer + 1)) != nullptr) ++layer;
  return layer;
}

/// The first layer behind which position is not read, and behind none after it; 0 if it is behind the last.
size_t gone_from(const Numbers& numbers) {
  size_t layer = layers_of(numbers);
  size_t first = 0;
  for (; layer > 0 && numbers.at(name_behind(position, layer)).interval->high < kReads; --layer) first = layer;
  return first;
}

/// "up to layer 4 of 6", "behind 3 of 6 layers", "behind every layer", "behind no layer".
/// @param beginning  of those, how many from the first on without a gap
LocalizedText words_of_layers(size_t count, size_t beginning, size_t layers) {
  const char* which = count == layers ? "all" : count == 0 ? "none" : beginning == count ? "up_to" : "some";
  return localize(std::string("probes.layers.") + which, {{"count", count}, {"layers", layers}});
}

LocalizedText words_of_layers_read(const Numbers& numbers) {
  const auto whole = [&](const NumberName& name) { return static_cast<size_t>(numbers.value(name)); };
  return words_of_layers(whole(kLayersReadingBoth), whole(kUpToLayer), layers_of(numbers));
}

/// Of a part beside its control task: an average near 0 may be a lead in some layers and a deficit in others.
LocalizedText words_of_lead(const Numbers& numbers, size_t part) {
  std::string control_task;
  size_t ahead = 0;
  size_t beginning = 0;
  const size_t layers = layers_of(numbers);
  for (size_t layer = 1; layer <= layers; ++layer) {
    const std::string name = name_behind(part, layer);
    const double control = numbers.value(fmt::format("{}_{}", name, kControlTask.name));
    control_task += fmt::format("{}{:.2f}", layer > 1 ? ", " : "", HalfAwayFromZero{control});
    if (numbers.value(name) <= control) continue;
    ++ahead;
    if (beginning + 1 == layer) beginning = layer;
  }
  return localize(ahead == layers ? "probes.ahead.everywhere" : "probes.ahead.in_part",
                  {{"part", words_of_part(part)},
                   {"control_task", control_task},
                   {"where", words_of_layers(ahead, beginning, layers)},
                   {"selectivity", numbers.value(kSelectivity.of(kParts[part].name))}});
}

/// What is read of the segment, if there are two.
LocalizedText words_of_segment(const Numbers& numbers) {
  if (find_number(numbers, kSelectivity.of(kParts[segment].name)) == nullptr) return {};
  return localize("probes.segment",
                  {{"accuracies", by_layer(numbers, segment)}, {"ahead", words_of_lead(numbers, segment)}});
}

LocalizedText words_of_erasure(const Numbers& numbers) {
  const std::string where = name_behind(position, 0);
  return localize("probes.erasure", {{"accuracy", numbers.value(kErasedAccuracy.of(where))},
                                     {"change", numbers.value(kErasedChange.of(where))},
                                     {"dealt", numbers.null(kErasedChange.of(where))}});
}

FormatArgs measured(const Numbers& numbers) {
  const size_t gone = gone_from(numbers);
  return {{"where", words_of_layers_read(numbers)},
          {"reads", kReads},
          {"position", by_layer(numbers, position)},
          {"token", by_layer(numbers, token)},
          {"gone", gone > 0 ? localize("probes.gone", {{"layer", gone}}) : LocalizedText{}},
          {"input", numbers.value(kWorseAtInput)},
          {"untrained", numbers.value(kWorseAtInputUntrained)},
          {"ahead", words_of_lead(numbers, position)},
          {"segment", words_of_segment(numbers)},
          {"erasure", words_of_erasure(numbers)}};
}

Verdict judge_probes(const Numbers& numbers) {
  const double most = kMostLayers * static_cast<double>(layers_of(numbers));
  // Behind so many layers for certain, and at most.
  const auto evaluate = [most](const Interval& layers) {
    if (layers.low > most) return Observation::holds;
    return layers.high <= most ? Observation::fails : Observation::cannot_be_told;
  };
  const auto inputs = controlled_interval(numbers, kLayersReadingBoth);
  const bool controls_pass = inputs.controls_pass(evaluate);
  Verdict verdict;
  verdict.observation = observation_if(controls_pass, evaluate(inputs.own));
  const Interval untrained = numbers.at(kWorseAtInputUntrained).interval.value();
  if (controls_pass && untrained.low >= kReads) {
    verdict.inference = Inference::does_not_follow;
  } else if (verdict.observation == Observation::holds && untrained.high < kReads) {
    verdict.inference = Inference::follows;
  }
  verdict.reason = localize("probes.reason", measured(numbers));
  return verdict;
}

LocalizedText answer_probes(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("3.3")) return gap_answer(findings.gaps.at("3.3"));
  const Numbers& numbers = findings.numbers.at("3.3");
  const bool as_well = verdicts.at("3.3").inference == Inference::does_not_follow;
  const size_t last = layers_of(numbers);
  const auto percent = [&](size_t part, size_t layer) { return 100 * numbers.value(name_behind(part, layer)); };
  const auto observation = verdicts.at("3.3").observation;
  const char* lead = observation == Observation::fails   ? "probes.lead.no"
                     : observation != Observation::holds ? "probes.lead.not_told"
                                                         : "probes.lead.yes";
  return localize("probes.answer", {{"lead", localize(lead, {{"where", words_of_layers_read(numbers)}})},
                                    {"position_first", percent(position, 1)},
                                    {"position_last", percent(position, last)},
                                    {"token_first", percent(token, 1)},
                                    {"token_last", percent(token, last)},
                                    {"as_well", as_well ? localize("probes.as_well") : LocalizedText{}}});
}

}  // namespace
}  // namespace probes

Experiment probes_experiment() {
  using namespace probes;
  Experiment experiment = described_experiment("probes", settings());
  experiment.effort = 23;
  experiment.rules = {described_rule("probes", "3.3", judge_probes, settings(), {.claim = "3.3"})};
  // A layer may separate position and let go of it: what is not read behind it does not tell.
  experiment.rules.front().supporting_only = true;
  experiment.run = run_probes;
  experiment.answer = answer_probes;
  return experiment;
}

}  // namespace summand::lab
