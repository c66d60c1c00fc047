// 3.2 and 0.5: what does a concatenation cost, and what is left of the cost once it is folded?
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "base/random_stream.hpp"
#include "engine/engine.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/composition_costs.hpp"
#include "lab/probing/fold.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/subject/embedding_tensors.hpp"
#include "lab/subject/subject.hpp"
#include "model/composition.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

namespace folding {
namespace {

using model::Composition;
using model::ConcatenateProject;
using model::Sum;

constexpr double kMoreOperations = 2;  // times the sum's, or the layers': at every size it is more
constexpr double kWrongFold = 100;     // times kFoldRounding
constexpr size_t kTexts = 4;           // at most
constexpr size_t kLongest = 32;        // tokens of each
constexpr size_t kFullItems = 200;
constexpr size_t kQuickItems = 20;

constexpr NumberName kWideParameters{"folding", "wide_parameters"};
constexpr NumberName kWideOperations{"folding", "wide_operations"};
constexpr NumberName kProjectionParameters{"folding", "projection_parameters"};
constexpr NumberName kProjectionOperations{"folding", "projection_operations"};
constexpr NumberName kProjectionOfModel{"folding", "projection_of_model"};
constexpr NumberName kUntied{"folding", "untied_of_model"};
constexpr NumberName kFold{"folding", "fold"};
constexpr NumberName kFoldThroughModel{"folding", "fold_through_model"};
constexpr NumberName kCheapest{"folding", "cheapest_other"};
constexpr NumberName kCheapestOfModel{"folding", "cheapest_of_model"};
constexpr NumberName kOperations{"folding", "operations"};
constexpr NumberName kParameters{"folding", "parameters"};

/// What the rules say of the constants.
FormatArgs bars() {
  return {{"more", kMoreOperations}, {"rounding", kFoldRounding}, {"wrong_times", kWrongFold}};
}

/// Embeddings and layers alone, with these three tables.
model::Weights weights_with(const Subject& subject, const model::Config& config, const Projection* folded_by,
                            const model::Batch& batch) {
  const auto& own = subject.model->checkpoint().weights;
  model::Weights weights;
  for (const auto& parameter : model::parameters(config, {})) {
    if (const auto* tensor = own.find(parameter.name)) weights.set(parameter.name, *tensor);
  }
  Table tokens = subject.tokens;
  Table positions = subject.positions;
  Table segments = subject.segments;
  if (folded_by) {
    // Of the vocabulary only what the texts use.
    for (const int32_t id : batch.ids) tokens.row(id) = subject.tokens.row(id) * folded_by->token.transpose();
    positions = subject.positions * folded_by->position.transpose();
    segments = subject.segments * folded_by->segment.transpose();
  }
  weights.set(kTokenTable, tensor_of(tokens));
  weights.set(kPositionTable, tensor_of(positions));
  weights.set(kSegmentTable, tensor_of(segments));
  return weights;
}

Matrix<float> last_states(const model::Config& config, const model::Weights& weights, const model::Batch& batch) {
  const engine::Engine engine(config, weights, {.threads = 1});
  const std::vector<size_t> last{static_cast<size_t>(config.num_hidden_layers)};
  return std::move(engine::hidden_states(engine, batch, last).front());
}

double largest_difference(const Matrix<float>& a, const Matrix<float>& b) {
  double largest = 0;
  double squares = 0;
  for (size_t i = 0; i < a.elements().size(); ++i) {
    largest = std::max(largest, std::abs(double{a.elements()[i]} - double{b.elements()[i]}));
    squares += double{a.elements()[i]} * double{a.elements()[i]};
  }
  return largest / std::sqrt(squares / static_cast<double>(a.elements().size()));
}

/// A few texts of the corpus, cut; none where a table does not have the model's shape, or without a corpus.
std::optional<model::Batch> texts_of(const Subject& subject) {
  const model::Config& config = subject.model->config();
  const bool fits = subject.tokens.rows() == config.vocab_size && subject.segments.rows() <= config.type_vocab_size &&
                    subject.positions.rows() == config.max_position_embeddings;
  if (!fits) return {};
  model::Batch batch;
  for (const auto& sentence : subject.corpus.sentences) {
    if (batch.texts() == kTexts) break;
    const size_t length = std::min(sentence.ids.size(), kLongest);
    batch.add(std::span(sentence.ids).first(length), std::span(sentence.segments).first(length));
  }
  if (batch.tokens() == 0) return {};
  const auto last_segment = static_cast<int32_t>(subject.segments.rows()) - 1;
  for (int32_t& segment : batch.segments) segment = std::min(segment, last_segment);
  return batch;
}

/// The last hidden states of a few texts, by concatenating and projecting or by folded tables.
class ThroughModel {
 public:
  ThroughModel(const Subject& subject, model::Batch batch) : subject_(subject), batch_(std::move(batch)) {}

  [[nodiscard]] size_t texts() const { return batch_.texts(); }
  [[nodiscard]] Matrix<float> projected(const Projection& map) const {
    auto weights = weights_with(subject_, config(ConcatenateProject()), nullptr, batch_);
    Table projection(map.token.rows(), 3 * map.token.cols());
    projection << map.token, map.position, map.segment;
    weights.set("embeddings.composition.projection.weight", tensor_of(projection));
    return last_states(config(ConcatenateProject()), weights, batch_);
  }
  [[nodiscard]] Matrix<float> folded(const Projection& map) const {
    const auto plain = config(Sum());
    return last_states(plain, weights_with(subject_, plain, &map, batch_), batch_);
  }

 private:
  [[nodiscard]] model::Config config(const Composition& composition) const {
    model::Config config = subject_.model->config();
    config.position = model::LearnedPositions();
    config.composition = composition;
    config.type_vocab_size = subject_.segments.rows();
    return config;
  }

  const Subject& subject_;
  model::Batch batch_;
};

/// All but the one whose rows are those of one table for all three parts: what it costs depends on their number.
std::vector<Composition> compositions_of_rows(size_t hidden) {
  auto all = model::typical_compositions(hidden);
  std::erase_if(all, [](const Composition& one) { return std::holds_alternative<model::JointTable>(one); });
  return all;
}

void measure_costs(const model::Config& config, Findings& findings) {
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const double layers = operations_of_layers(config);
  const auto operations = [&](const Composition& composition) { return operations_of(composition, hidden); };
  const auto wider = [&](int times) { return operations_of_layers(times_as_wide(config, times)) / layers; };
  const LocalizedText of_sum = localize("folding.plain_sum");
  const LocalizedText of_gate = localize("folding.gate");
  const LocalizedText of_thirds = localize("folding.thirds");
  Numbers& numbers = findings.numbers["3.2"];
  numbers.add(NumberBuilder(kWideOperations, wider(3))
                  .null(wider(1), of_thirds)
                  .control(wider(2), localize("folding.twice_as_wide")));
  numbers.add(NumberBuilder(kProjectionOperations, operations(ConcatenateProject()) / operations(Sum()))
                  .null(1, localize("folding.once_folded"))
                  .control(operations(kDearest) / operations(Sum()), of_gate));
  numbers.add(NumberBuilder(kWideParameters, parameters_of(times_as_wide(config, 3)) / parameters_of(config))
                  .null(parameters_of_thirds(config) / parameters_of(config), of_thirds)
                  .control(wider(3), localize("folding.layers_alone")));
  numbers.add(NumberBuilder(kProjectionParameters, own_parameters(config, ConcatenateProject()))
                  .null(own_parameters(config, Sum()), of_sum)
                  .control(own_parameters(config, kDearest), of_gate));
  numbers.add(NumberBuilder(kProjectionOfModel, operations(ConcatenateProject()) / layers)
                  .null(operations(Sum()) / layers, of_sum)
                  .control(operations(kDearest) / layers, of_gate));
  numbers.add(NumberBuilder(kUntied, parameters_of(config, model::ParameterGroup::token_table) / parameters_of(config))
                  .null(0, localize("folding.own_decoder"))
                  .control(own_parameters(config, kDearest) / parameters_of(config), of_gate));
}

void measure_fold(const Subject& subject, const Conditions& conditions, Findings& findings) {
  RandomStream stream(conditions.seed, "folding: projection");
  const auto items = uniform_items(subject, conditions.quick ? kQuickItems : kFullItems, stream);
  const Projection map = Projection::drawn(subject.tokens.cols(), stream);
  const Projection swapped{map.position, map.token, map.segment};
  const Projection identity = Projection::identity(subject.tokens.cols());
  const LocalizedText of_null = localize("folding.wrong_maps");
  const LocalizedText of_control = localize("folding.identity");
  Numbers& numbers = findings.numbers["3.2"];
  numbers.add(NumberBuilder(kFold, fold_difference(subject, items, map, map))
                  .null(fold_difference(subject, items, map, swapped), of_null)
                  .control(fold_difference(subject, items, identity, identity), of_control));
  conditions.progress(0.4);
  if (auto texts = texts_of(subject)) {
    const ThroughModel through(subject, std::move(*texts));
    const auto projected = through.projected(map);
    numbers.add(NumberBuilder(kFoldThroughModel, largest_difference(projected, through.folded(map)),
                              {{"texts", through.texts()}})
                    .null(largest_difference(projected, through.folded(swapped)), of_null)
                    .control(largest_difference(through.projected(identity), through.folded(identity)), of_control));
  }
  if (conditions.quick) {
    findings.left_out.push_back(localize("folding.left_out", {{"few", kQuickItems}, {"many", kFullItems}}));
  }
}

void measure_arms(const model::Config& config, Findings& findings) {
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const double sum = operations_of(Sum(), hidden);
  Numbers& numbers = findings.numbers["0.5"];
  const auto ratio = [&](const Composition& composition) { return operations_of(composition, hidden) / sum; };
  const double cheapest =
      std::min({ratio(ConcatenateProject()), ratio(model::ScalarGate()), ratio(model::VectorGate())});
  numbers.add(NumberBuilder(kCheapest, cheapest)
                  .null(1, localize("folding.folded_projection"))
                  .control(ratio(kDearest), localize("folding.gate")));
  const double layers = operations_of_layers(config) / sum;
  const LocalizedText of_sum = localize("folding.sum");
  numbers.add(NumberBuilder(kCheapestOfModel, cheapest / layers)
                  .null(1 / layers, of_sum)
                  .control(ratio(kDearest) / layers, localize("folding.gate")));
  const LocalizedText of_dearest = localize("folding.dearest");
  for (const auto& composition : compositions_of_rows(hidden)) {
    const std::string name(model::name_of(composition));
    const FormatArgs args{{"composition", name}};
    numbers.add(NumberBuilder(kOperations, name, operations_of(composition, hidden), args)
                    .null(sum, of_sum)
                    .control(operations_of(kDearest, hidden), of_dearest));
    numbers.add(NumberBuilder(kParameters, name, own_parameters(config, composition), args)
                    .null(own_parameters(config, Sum()), of_sum)
                    .control(own_parameters(config, kDearest), of_dearest));
  }
  Number fold = findings.numbers.at("3.2").at(kFold);
  fold.label = localize("folding.fold_of_3_2");
  numbers.add(std::move(fold));
}

Figure costs_figure(const model::Config& config) {
  using namespace chart;
  const auto text = [](const char* name) { return localize(std::string("folding.figures.folding-costs.") + name); };
  std::vector<LocalizedText> arm;
  std::vector<double> operations;
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const auto add = [&](const LocalizedText& words, const Composition& composition) {
    arm.push_back(words);
    operations.push_back(operations_of(composition, hidden));
  };
  for (const auto& composition : compositions_of_rows(hidden)) {
    // What takes no operation has no place on a logarithmic axis.
    if (operations_of(composition, hidden) > 0) add(words_of(composition), composition);
  }
  add(text("folded"), Sum());
  Json x = logarithmic(number("operations", text("operations"), ",d"), {1e2, 1e3, 1e4, 1e5, 1e6, 1e7});
  // Room for a count right of the last point.
  const auto [least, most] = std::ranges::minmax(operations);
  x["scale"]["domain"] = {least / 1.5, most * 15};
  Json y = listed_points("composition", text("composition"));
  y["axis"]["grid"] = true;
  Json count = mark({{"type", "text"}, {"align", "left"}, {"dx", 9}, {"fontSize", 11}},
                    {{"x", x}, {"y", y}, {"text", number("operations", text("operations"), ",d")}});
  count["encoding"]["text"]["format"] = ",d";
  return {.name = "folding-costs",
          .title = text("title"),
          .caption = text("caption"),
          .specification =
              with_height(layers({mark({{"type", "point"}, {"size", 80}}, {{"x", x}, {"y", y}}), std::move(count)}),
                          height_of(arm.size())),
          .data = FigureData{{{"composition", arm}, {"operations", operations}}}};
}

/// Why nothing can be measured, if nothing can.
std::optional<LocalizedText> lacks(const Subject& subject) {
  if (auto lacking = lacks_sum(subject)) return lacking;
  if (subject.model->config().num_hidden_layers < 1) return localize("folding.no_layer");
  return {};
}

Findings run_folding(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks(subject)) {
    for (const char* claim : {"3.2", "0.5"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  const auto& config = subject.model->config();
  measure_costs(config, findings);
  measure_fold(subject, conditions, findings);
  measure_arms(config, findings);
  findings.figures.push_back(costs_figure(config));
  findings.remarks.push_back(localize("folding.remark"));
  conditions.progress(1);
  return findings;
}

/// Whether a concatenation with a projection is a sum of its folded tables, and of no others.
bool folds(const Numbers& numbers) {
  return numbers.value(kFold) <= kFoldRounding && numbers.null(kFold) > kWrongFold * kFoldRounding;
}

Inference inference_of(const Numbers& numbers) {
  return folds(numbers) ? Inference::does_not_follow : Inference::not_tested;
}

Verdict judge_width(const Numbers& numbers) {
  const bool more = std::min(numbers.value(kWideOperations), numbers.value(kProjectionOperations)) >= kMoreOperations;
  Verdict verdict;
  verdict.observation = more ? Observation::holds : Observation::fails;
  verdict.number = deciding_number({{kWideOperations, numbers.value(kWideOperations) >= kMoreOperations},
                                    {kProjectionOperations, numbers.value(kProjectionOperations) >= kMoreOperations}});
  verdict.inference = inference_of(numbers);
  verdict.reason = localize(folds(numbers) ? "folding.reasons.width_folds" : "folding.reasons.width",
                            {{"wide", numbers.value(kWideOperations)},
                             {"parameters", numbers.value(kWideParameters)},
                             {"projection", numbers.value(kProjectionOperations)},
                             {"percent", 100 * numbers.value(kProjectionOfModel)},
                             {"untied", 100 * numbers.value(kUntied)},
                             {"fold", numbers.value(kFold)}});
  return verdict;
}

Verdict judge_cost(const Numbers& numbers) {
  const double cheapest = numbers.value(kCheapest);
  Verdict verdict;
  verdict.observation = cheapest >= kMoreOperations ? Observation::holds : Observation::fails;
  verdict.inference = inference_of(numbers);
  verdict.reason = localize(folds(numbers) ? "folding.reasons.cost_folds" : "folding.reasons.cost",
                            {{"cheapest", cheapest},
                             {"percent", 100 * numbers.value(kCheapestOfModel)},
                             {"sum_percent", 100 * numbers.null(kCheapestOfModel)},
                             {"fold", numbers.value(kFold)}});
  return verdict;
}

LocalizedText answer_folding(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("3.2")) return gap_answer(findings.gaps.at("3.2"));
  const Numbers& numbers = findings.numbers.at("3.2");
  const char* lead = verdicts.at("3.2").observation != Observation::holds ? "folding.lead.no"
                     : folds(numbers)                                     ? "folding.lead.before"
                                                                          : "folding.lead.yes";
  return localize(folds(numbers) ? "folding.answer_folds" : "folding.answer",
                  {{"lead", localize(lead)},
                   {"wide", numbers.value(kWideOperations)},
                   {"projection", numbers.value(kProjectionOperations)},
                   {"percent", 100 * numbers.value(kProjectionOfModel)}});
}

}  // namespace
}  // namespace folding

Experiment folding_experiment() {
  using namespace folding;
  Experiment experiment = described_experiment("folding", {});
  experiment.rules = {described_rule("folding", "3.2", judge_width, bars(), {.kind = Kind::algebra}),
                      described_rule("folding", "0.5", judge_cost, bars(), {.kind = Kind::algebra})};
  experiment.run = run_folding;
  experiment.answer = answer_folding;
  return experiment;
}

}  // namespace summand::lab
