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
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/probes/probe_tasks.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"
#include "model/batch.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

namespace probes {
namespace {

using Eigen::Index;

constexpr double kReads = 0.5;    // accuracy: what counts as separable
constexpr double kHardly = 0.25;  // accuracy: what counts as not
constexpr double kControl = 0.9;  // of the part's own row
constexpr double kAsWell = 0.1;   // of accuracy

constexpr int32_t kLeastPositions = 16;
constexpr size_t kLeastWords = 32;
constexpr size_t kLeastKinds = 8;

/// Families: accuracies of a part's probe, "token_input" and "token_layer_1", and what stands beside them.
constexpr std::array<NumberName, kProbedParts> kParts{NumberName{"probes", "token"}, NumberName{"probes", "position"},
                                                      NumberName{"probes", "segment"}};
constexpr NumberName kUntrained{"probes", "untrained"};  // ends of their names
constexpr NumberName kControlTask{"probes", "control_task"};
constexpr NumberName kMajority{"probes", "majority"};

constexpr NumberName kBestLayer{"probes", "best_layer"};
constexpr NumberName kWorseThere{"probes", "worse_there"};
constexpr NumberName kWorseAtInput{"probes", "worse_at_input"};
constexpr NumberName kWorseAtInputUntrained{"probes", "worse_at_input_untrained"};

/// How much of it is done.
struct Size {
  size_t texts = 160;
  size_t length = 64;  // tokens
  size_t resamplings = 500;
};
constexpr Size kFull{};
constexpr Size kQuick{.texts = 64, .length = 32, .resamplings = 100};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
Fills settings() {
  return {{"penalty", kPenalty}, {"most_tokens", kMostTokens},   {"hardly", kHardly},    {"control", kControl},
          {"as_well", kAsWell},  {"positions", kLeastPositions}, {"words", kLeastWords}, {"kinds", kLeastKinds}};
}

/// "token_input", "token_layer_1".
std::string name_behind(size_t part, size_t layer) {
  return kParts[part].of(layer == 0 ? "input" : fmt::format("layer_{}", layer));
}

Words words_of_part(size_t part) {
  return wording(std::string("probes.parts.") + kParts[part].name);
}

/// The same configuration as before training: every parameter drawn from a stream of its own name.
model::Weights untrained_weights(const model::Config& config, const Conditions& conditions) {
  model::Weights weights;
  for (const auto& parameter : model::parameters(config, {})) {
    std::vector<float> values(model::elements(parameter),
                              parameter.initialiser == model::Initialiser::ones ? 1.0F : 0.0F);
    if (parameter.initialiser == model::Initialiser::normal) {
      RandomStream stream(conditions.seed, "probes: " + parameter.name);
      for (float& value : values) value = static_cast<float>(config.initializer_range * stream.normal());
    }
    weights.set(parameter.name, model::make_tensor(parameter.shape, values));
  }
  return weights;
}

/// What one layer of one model gives.
struct LayerProbes {
  std::array<std::vector<bool>, kProbedParts> right;
  std::array<double, kProbedParts> control_task{};
};

struct Probed {
  std::vector<LayerProbes> trained, untrained;
  std::array<double, kProbedParts> own_row{}, own_row_control_task{}, majority{};
  ProbeTasks tasks;
};

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

std::vector<LayerProbes> probe_layers(std::vector<Matrix<float>> states, const ProbeTasks& tasks, size_t parts,
                                      const Conditions& conditions) {
  std::vector<LayerProbes> probed(states.size());
  ThreadPool::shared().run(states.size(), threads_of(conditions), [&](size_t layer, int) {
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

/// The part to whose items the control task of another deals its classes.
size_t dealt_to(size_t part) {
  return part == token ? position : token;
}

Probed probed_of(const Subject& subject, const Conditions& conditions) {
  const Size size = size_of(conditions);
  const auto length = std::min(size.length, static_cast<size_t>(subject.model->config().max_position_embeddings));
  RandomStream stream(conditions.seed, "probes: texts");
  const auto texts = probe_texts(subject, size.texts, length, stream);
  const size_t parts = parts_of(subject);
  Probed probed;
  probed.tasks = probe_tasks(texts, length, conditions);
  const auto& config = subject.model->config();
  const auto layers = static_cast<size_t>(config.num_hidden_layers);
  probed.trained =
      probe_layers(all_states(subject.model->engine(), texts.batch, layers), probed.tasks, parts, conditions);
  conditions.progress(0.5);
  const engine::Engine untrained(config, untrained_weights(config, conditions), {.threads = conditions.threads});
  probed.untrained = probe_layers(all_states(untrained, texts.batch, layers), probed.tasks, parts, conditions);
  conditions.progress(0.95);
  const std::array<Table, kProbedParts> own{rows_of(subject.tokens, texts.batch.ids),
                                            rows_of(subject.positions, texts.batch.positions),
                                            rows_of(subject.segments, texts.batch.segments)};
  for (size_t part = 0; part < parts; ++part) {
    probed.own_row[part] = rate_of(probe(own[part], probed.tasks.probes[part]));
    probed.own_row_control_task[part] = rate_of(probe(own[dealt_to(part)], probed.tasks.controls[part]));
    probed.majority[part] = majority(probed.tasks.probes[part]);
  }
  return probed;
}

/// The layer behind the input at which the worse of token and position is read best.
size_t best_layer(const std::vector<LayerProbes>& layers) {
  size_t best = 1;
  const auto worse = [&](size_t layer) {
    return std::min(rate_of(layers[layer].right[token]), rate_of(layers[layer].right[position]));
  };
  for (size_t layer = 1; layer < layers.size(); ++layer) {
    if (worse(layer) > worse(best)) best = layer;
  }
  return best;
}

Words row_alone(size_t part) {
  return wording("probes.beside.row_alone", {{"part", words_of_part(part)}});
}
Words most_frequent() {
  return wording("probes.beside.most_frequent");
}

/// One part read behind one layer, and its control task there.
void add_layer(const Probed& probed, size_t part, size_t layer, const Conditions& conditions, Numbers& numbers) {
  const auto& right = probed.trained[layer].right[part];
  const std::string name = name_behind(part, layer);
  const Fills where{
      {"where", layer == 0 ? wording("probes.where.input") : wording("probes.where.layer", {{"layer", layer}})}};
  const auto of = [&](std::span<const size_t> chosen) {
    size_t met = 0;
    for (const size_t i : chosen) met += right[i] ? 1 : 0;
    return static_cast<double>(met) / static_cast<double>(chosen.size());
  };
  numbers.add(Measured(name, kParts[part].label(where), rate_of(right))
                  .interval(bootstrap(right.size(), of,
                                      {.seed = conditions.seed,
                                       .name = "probes: " + name,
                                       .count = size_of(conditions).resamplings,
                                       .threads = threads_of(conditions)}))
                  .null(probed.majority[part], most_frequent())
                  .control(probed.own_row[part], row_alone(part)));
  numbers.add(Measured(fmt::format("{}_{}", name, kUntrained.name), kUntrained.label(where),
                       rate_of(probed.untrained[layer].right[part]))
                  .null(probed.majority[part], most_frequent())
                  .control(probed.own_row[part], row_alone(part)));
  numbers.add(Measured(fmt::format("{}_{}", name, kControlTask.name), kControlTask.label(where),
                       probed.trained[layer].control_task[part])
                  .null(majority(probed.tasks.controls[part]), most_frequent())
                  .control(probed.own_row_control_task[part], row_alone(dealt_to(part))));
}

/// Where the worse of token and position is read best, and how well there and at the input.
void add_best_layer(const Probed& probed, Numbers& numbers) {
  const size_t best = best_layer(probed.trained);
  const auto worse = [](const std::vector<LayerProbes>& layers, size_t layer) {
    return std::min(rate_of(layers[layer].right[token]), rate_of(layers[layer].right[position]));
  };
  const double either_row = std::min(probed.own_row[token], probed.own_row[position]);
  const Words of_either_row = wording("probes.beside.either_row");
  const double guessing = std::min(probed.majority[token], probed.majority[position]);
  numbers.add(Measured(kBestLayer, static_cast<double>(best))
                  .null(static_cast<double>(best_layer(probed.untrained)), wording("probes.beside.untrained_model"))
                  .control(static_cast<double>(probed.trained.size() - 1), wording("probes.beside.last_layer")));
  const auto add = [&](const NumberName& name, double value) {
    numbers.add(Measured(name, value).null(guessing, most_frequent()).control(either_row, of_either_row));
  };
  add(kWorseThere, worse(probed.trained, best));
  add(kWorseAtInput, worse(probed.trained, 0));
  add(kWorseAtInputUntrained, worse(probed.untrained, 0));
}

void add_numbers(const Probed& probed, size_t parts, const Conditions& conditions, Numbers& numbers) {
  for (size_t part = 0; part < parts; ++part) {
    for (size_t layer = 0; layer < probed.trained.size(); ++layer) add_layer(probed, part, layer, conditions, numbers);
    numbers.add(
        Measured(kParts[part].of(kMajority), kMajority.label({{"part", words_of_part(part)}}), probed.majority[part])
            .null(1 / static_cast<double>(probed.tasks.probes[part].classes), wording("probes.beside.as_likely"))
            .control(probed.own_row[part], row_alone(part)));
  }
  add_best_layer(probed, numbers);
}

Figure layers_figure(const Probed& probed, size_t parts) {
  using namespace chart;
  const auto text = [](const char* name) { return wording(std::string("probes.figures.probes-layers.") + name); };
  const std::vector<Series> series{
      {text("trained"), {.colour = "@blue", .width = 3}},
      {text("untrained"), {.colour = "@faint", .dash = {6, 3}, .shape = "square"}},
      {text("control_task"), {.colour = "@orange", .dash = {2, 2}, .shape = "triangle-up"}}};
  std::vector<double> layer;
  std::vector<double> accuracy_column;
  std::vector<Words> what;
  std::vector<Words> which;
  std::vector<Words> order;
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

std::optional<Words> lacks_probes(const Subject& subject) {
  if (auto lacking = lacks_sum(subject)) return lacking;
  size_t words = 0;
  std::set<int32_t> types;
  for (const auto& sentence : subject.corpus.sentences) {
    for (size_t i = 0; i < sentence.ids.size(); ++i) {
      words += sentence.special[i] ? 0 : 1;
      types.insert(sentence.ids[i]);
    }
  }
  const auto& config = subject.model->config();
  const bool fits =
      subject.tokens.rows() == config.vocab_size && subject.positions.rows() == config.max_position_embeddings;
  if (!fits || words < kLeastWords || types.size() < kLeastKinds || config.max_position_embeddings < kLeastPositions ||
      config.num_hidden_layers < 1) {
    return wording("probes.gaps.corpus", settings());
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
  add_numbers(probed, parts, conditions, findings.numbers["3.3"]);
  findings.figures.push_back(layers_figure(probed, parts));
  if (conditions.quick) {
    findings.left_out.push_back(wording("probes.left_out", {{"few_texts", kQuick.texts},
                                                            {"many_texts", kFull.texts},
                                                            {"few_tokens", kQuick.length},
                                                            {"many_tokens", kFull.length},
                                                            {"few_resamplings", kQuick.resamplings},
                                                            {"many_resamplings", kFull.resamplings}}));
  }
  if (parts < kProbedParts) findings.remarks.push_back(wording("probes.remarks.one_segment"));
  findings.remarks.push_back(wording("probes.remarks.mixed"));
  conditions.progress(1);
  return findings;
}

Verdict judge_probes(const Numbers& numbers) {
  const double there = numbers.value(kWorseThere);
  const double chance =
      std::max(numbers.value(kParts[token].of(kMajority)), numbers.value(kParts[position].of(kMajority)));
  Verdict verdict;
  if (numbers.control(kWorseThere) < kControl || chance >= kHardly) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = there >= kReads   ? Observation::holds
                          : there < kHardly ? Observation::fails
                                            : Observation::cannot_be_told;
  }
  const double input = numbers.value(kWorseAtInput);
  const double untrained = numbers.value(kWorseAtInputUntrained);
  if (verdict.observation == Observation::holds) {
    verdict.inference = untrained >= input - kAsWell ? Inference::does_not_follow : Inference::follows;
  }
  verdict.reason =
      wording("probes.reason",
              {{"layer", numbers.value(kBestLayer)}, {"there", there}, {"input", input}, {"untrained", untrained}});
  return verdict;
}

Words answer_probes(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("3.3")) return findings.gaps.at("3.3");
  const Numbers& numbers = findings.numbers.at("3.3");
  const bool as_well = verdicts.at("3.3").inference == Inference::does_not_follow;
  const auto percent = [&](size_t part, size_t layer) { return 100 * numbers.value(name_behind(part, layer)); };
  return wording(as_well ? "probes.answer_as_well" : "probes.answer", {{"position_input", percent(position, 0)},
                                                                       {"position_behind", percent(position, 1)},
                                                                       {"token_input", percent(token, 0)},
                                                                       {"token_behind", percent(token, 1)}});
}

}  // namespace
}  // namespace probes

Experiment probes_experiment() {
  using namespace probes;
  Experiment experiment = described_experiment("probes", settings());
  experiment.effort = 16;
  experiment.rules = {described_rule("probes", "3.3", judge_probes, settings())};
  experiment.run = run_probes;
  experiment.answer = answer_probes;
  return experiment;
}

}  // namespace summand::lab
