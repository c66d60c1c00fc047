#include "train/finetune/results.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  if (!evaluation.labels.empty()) {
    OrderedJson counts = OrderedJson::array();
    for (size_t row = 0; row < evaluation.confusion.rows(); ++row) {
      const auto values = evaluation.confusion.row(row);
      counts.push_back(std::vector<uint64_t>(values.begin(), values.end()));
    }
    json["confusion"] = {{"labels", evaluation.labels}, {"truth_by_prediction", counts}};
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
  const auto value_of = [&](const std::vector<Score>& scores) {
    const auto named = std::ranges::find(scores, metric, &Score::name);
    return named == scores.end() ? scores.front() : *named;
  };
  if (evaluation.scores.empty()) return fmt::format("{}: {} rows", portion, evaluation.rows);
  const Score score = value_of(evaluation.scores);
  std::string line = fmt::format("{}: {} {:.4f} [{:.4f}, {:.4f}] of {} rows", portion, score.name, score.value,
                                 score.low, score.high, evaluation.rows);
  for (const Baseline& baseline : evaluation.baselines) {
    line += fmt::format("; {} {:.4f}", baseline.name, value_of(baseline.scores).value);
  }
  return line;
}

/// A line where the model is no better than a baseline.
std::optional<std::string> doubt(const char* portion, const Evaluation& evaluation, const std::string& metric) {
  const auto value = [&](const std::vector<Score>& scores) -> std::optional<double> {
    const auto named = std::ranges::find(scores, metric, &Score::name);
    return named == scores.end() ? std::nullopt : std::optional(named->value);
  };
  const auto own = value(evaluation.scores);
  if (!own || (is_better_when_higher(metric) && *own >= 1)) return std::nullopt;
  for (const Baseline& baseline : evaluation.baselines) {
    const auto other = value(baseline.scores);
    if (!other || (is_better_when_higher(metric) ? *own > *other : *own < *other)) continue;
    return fmt::format("{}: no better than '{}' in {}: more rows, another --learning-rate or more --epochs may help",
                       portion, baseline.name, metric);
  }
  return std::nullopt;
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
  OrderedJson metrics{{"metric", task.metric()}, {"best_step", state.best_step}, {"steps", state.progress.step}};
  std::vector<std::string> told;
  std::string predictions;
  for (const auto& [portion, name] : {std::pair(Portion::validation, "validation"), std::pair(Portion::test, "test"),
                                      std::pair(Portion::prediction, "predict")}) {
    if (!task.has(portion)) continue;
    const Evaluation evaluation = task.evaluate(network, portion);
    if (portion != Portion::prediction) metrics[name] = to_json(evaluation);
    if (portion != Portion::validation) add_predictions(predictions, name, evaluation);
    told.push_back(summary(name, evaluation, task.metric()));
    if (auto line = doubt(name, evaluation, task.metric())) told.push_back(std::move(*line));
  }
  const std::filesystem::path file = folder / "predictions.jsonl";
  if (predictions.empty()) {
    std::filesystem::remove(file);  // of a run that went on without --test and --predict
  } else {
    write_whole(file, predictions);
  }
  write_whole(folder / "metrics.json", metrics.dump(1) + "\n");
  return told;
}

}  // namespace summand::train
