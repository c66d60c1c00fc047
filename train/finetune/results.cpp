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

/// The metric, or the first score where it is none, as a loss is not.
std::string told_metric(const Evaluation& evaluation, const std::string& metric) {
  return score_named(evaluation.scores, metric) == nullptr ? evaluation.scores.front().name : metric;
}

std::string summary(const char* portion, const Evaluation& evaluation, const std::string& metric) {
  if (evaluation.scores.empty()) return fmt::format("{}: {} rows", portion, evaluation.rows);
  const std::string told = told_metric(evaluation, metric);
  const Score& score = *score_named(evaluation.scores, told);
  std::string line = fmt::format("{}: {} {:.4f} [{:.4f}, {:.4f}] of {} rows", portion, score.name, score.value,
                                 score.low, score.high, evaluation.rows);
  for (const Baseline& baseline : evaluation.baselines) {
    line += fmt::format("; {} {:.4f}", baseline.name, score_named(baseline.scores, told)->value);
  }
  return line;
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

/// The baseline with the best score, and how far the model is ahead of it, more being better.
struct Lead {
  std::string baseline;
  Score score;
};

std::optional<Lead> least_lead(const Evaluation& evaluation, const std::string& metric) {
  const Score* own = score_named(evaluation.scores, metric);
  std::optional<Lead> least;
  for (const Baseline& baseline : evaluation.baselines) {
    const Score* other = score_named(baseline.scores, metric);
    if (own == nullptr || other == nullptr) continue;
    Score lead = is_better_when_higher(metric) ? difference(*own, *other) : difference(*other, *own);
    if (!least || lead.value < least->score.value) least = {.baseline = baseline.name, .score = std::move(lead)};
  }
  return least;
}

/// A line where the scores do not show that the model is better than a baseline.
std::optional<std::string> doubt(const char* portion, const Evaluation& evaluation, const std::string& metric) {
  const auto lead = least_lead(evaluation, metric);
  if (!lead || lead->score.low > 0) return std::nullopt;
  const bool best = is_better_when_higher(metric) && score_named(evaluation.scores, metric)->value >= 1;
  if (best && lead->score.value <= 0) {
    return fmt::format("{}: '{}' has the best {} too, so these rows do not show what the model is worth", portion,
                       lead->baseline, metric);
  }
  if (lead->score.value <= 0) {
    return fmt::format(
        "{}: no better than '{}' in {}: another --model, more rows, another --learning-rate or more "
        "--epochs may help",
        portion, lead->baseline, metric);
  }
  return fmt::format(
      "{}: better than '{}' by {:.3f} in {}, which may be chance: 95 % of resamplings lie between {:.3f} "
      "and {:.3f}; more rows to judge on would tell",
      portion, lead->baseline, lead->score.value, metric, lead->score.low, lead->score.high);
}

/// What to think of the scores.
std::vector<std::string> notes_on(const std::map<Portion, Evaluation>& evaluations, const std::string& metric) {
  std::vector<std::string> notes;
  const bool tested = evaluations.contains(Portion::test);
  const Portion judged = tested ? Portion::test : Portion::validation;
  const Evaluation& evaluation = evaluations.at(judged);
  std::vector<std::string> metrics{told_metric(evaluation, metric)};
  constexpr const char* kError = "mean_squared_error";  // a correlation does not see that numbers are far off
  if (metric != kError && score_named(evaluation.scores, kError) != nullptr) metrics.emplace_back(kError);
  for (const std::string& one : metrics) {
    if (auto line = doubt(name_of(judged), evaluation, one)) notes.push_back(std::move(*line));
  }
  if (!tested) {
    notes.emplace_back(
        "validation: it has chosen the checkpoint, so its scores are a little too good; rows of --test "
        "choose nothing");
  }
  return notes;
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
  }
  const std::vector<std::string> notes = notes_on(evaluations, task.metric());
  std::vector<std::string> all_notes = task.notices();
  all_notes.insert(all_notes.end(), notes.begin(), notes.end());
  metrics["notes"] = all_notes;
  told.insert(told.end(), notes.begin(), notes.end());
  write_whole(folder / "metrics.json", metrics.dump(1) + "\n");
  return told;
}

}  // namespace summand::train
