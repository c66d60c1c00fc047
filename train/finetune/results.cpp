#include "train/finetune/results.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "train/finetune/finetune_options.hpp"
#include "train/run/whole_file.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson to_json(const std::vector<Score>& scores) {
  OrderedJson json = OrderedJson::object();
  for (const Score& score : scores) json[score.name] = {{"value", score.value}, {"interval", {score.low, score.high}}};
  return json;
}

OrderedJson to_json(const Evaluation& evaluation) {
  OrderedJson json{{"rows", evaluation.rows}, {"scores", to_json(evaluation.scores)}};
  for (const Baseline& baseline : evaluation.baselines) json["baselines"][baseline.name] = to_json(baseline.scores);
  if (evaluation.confusion) {
    const Confusion& confusion = *evaluation.confusion;
    OrderedJson counts = OrderedJson::array();
    for (size_t row = 0; row < confusion.counts.rows(); ++row) {
      const auto values = confusion.counts.row(row);
      counts.push_back(std::vector<uint64_t>(values.begin(), values.end()));
    }
    json["confusion"] = {
        {"labels", confusion.labels}, {"of_labels", confusion.of_labels}, {"truth_by_prediction", counts}};
  }
  json["mistakes"] = OrderedJson::array();
  for (const Mistake& mistake : evaluation.mistakes) {
    json["mistakes"].push_back({{"where", mistake.where},
                                {"text", mistake.text},
                                {"truth", mistake.truth},
                                {"predicted", mistake.predicted},
                                {"severity", mistake.severity}});
  }
  return json;
}

std::string summary(const char* portion, const Evaluation& evaluation, const std::string& metric) {
  if (evaluation.scores.empty()) return fmt::format("{}: {} rows", portion, evaluation.rows);
  const auto named = [&](const std::vector<Score>& scores) {
    const Score* found = score_named(scores, metric);
    return found == nullptr ? scores.front() : *found;
  };
  const Score score = named(evaluation.scores);
  std::string line = fmt::format("{}: {} {:.4f} [{:.4f}, {:.4f}] of {} rows", portion, score.name, score.value,
                                 score.low, score.high, evaluation.rows);
  for (const Baseline& baseline : evaluation.baselines) {
    line += fmt::format("; {} {:.4f}", baseline.name, named(baseline.scores).value);
  }
  return line;
}

/// A line where the model is no better than a baseline.
std::optional<std::string> doubt(const char* portion, const Evaluation& evaluation, const std::string& metric) {
  const Score* own = score_named(evaluation.scores, metric);
  if (own == nullptr || (is_better_when_higher(metric) && own->value >= 1)) return std::nullopt;
  for (const Baseline& baseline : evaluation.baselines) {
    const Score* other = score_named(baseline.scores, metric);
    if (other == nullptr) continue;
    if (is_better_when_higher(metric) ? own->value > other->value : own->value < other->value) continue;
    return fmt::format("{}: no better than '{}' in {}: more rows, another --learning-rate or more --epochs may help",
                       portion, baseline.name, metric);
  }
  return std::nullopt;
}

const char* name_of(Portion portion) {
  switch (portion) {
    case Portion::validation:
      return "validation";
    case Portion::test:
      return "test";
    case Portion::prediction:
      return "predict";
  }
  __builtin_unreachable();
}

/// Adds {"from": "test", …} of each row.
void add_predictions(std::string& lines, const char* from, const Evaluation& evaluation) {
  for (const std::string& prediction : evaluation.predictions) {
    OrderedJson json{{"from", from}};
    json.update(OrderedJson::parse(prediction));
    lines += json.dump() + "\n";
  }
}

}  // namespace

std::vector<std::string> write_results(const std::filesystem::path& folder, const FinetuningTask& task,
                                       const Network& network, const RunState& state) {
  std::map<Portion, Evaluation> evaluations;
  for (const Portion portion : {Portion::validation, Portion::test, Portion::prediction}) {
    if (task.has(portion)) evaluations.emplace(portion, task.evaluate(network, portion));
  }
  std::string predictions;
  for (const Portion portion : {Portion::test, Portion::prediction}) {
    if (task.has(portion)) add_predictions(predictions, name_of(portion), evaluations.at(portion));
  }
  const std::filesystem::path file = folder / "predictions.jsonl";
  if (predictions.empty()) {
    std::filesystem::remove(file);  // of a run that went on without --test and --predict
  } else {
    write_whole(file, predictions);
  }
  std::vector<std::string> told = task.add_baselines(network, evaluations);
  OrderedJson metrics{{"metric", task.metric()}, {"best_step", state.best_step}, {"steps", state.progress.step}};
  for (const auto& [portion, evaluation] : evaluations) {
    const char* name = name_of(portion);
    if (portion != Portion::prediction) metrics[name] = to_json(evaluation);
    told.push_back(summary(name, evaluation, task.metric()));
    if (auto line = doubt(name, evaluation, task.metric())) told.push_back(std::move(*line));
  }
  write_whole(folder / "metrics.json", metrics.dump(1) + "\n");
  return told;
}

}  // namespace summand::train
