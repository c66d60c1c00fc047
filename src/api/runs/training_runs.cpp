#include "api/runs/training_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "model/config.hpp"

namespace summand::api {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRun = "run.json";
constexpr const char* kSeed = "options.seed";
constexpr const char* kTokenizer = "data.tokenizer";  // older runs have none
constexpr size_t kMostState = size_t{1} << 26;
constexpr size_t kMostMetrics = size_t{1} << 30;

/// "options.steps" → "8192" for every value that is no object.
void add_settings(const Json& json, const std::string& prefix, std::map<std::string, std::string>& settings) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.is_object()) {
      add_settings(value, name, settings);
    } else {
      settings[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
}

/// Every field of the model's configuration under its name, with the values that hold where it says none: so runs
/// differ in behaviour, not in which defaults their files list.
void add_model_settings(const Json& json, std::map<std::string, std::string>& settings) {
  const Json::json_pointer place("/model/config");
  if (!json.contains(place)) return;
  const std::string prefix = "model.config.";
  std::erase_if(settings, [&](const auto& setting) { return setting.first.starts_with(prefix); });
  for (const auto& row : model::rows_of(model::parse_config(json.at(place).dump(), kRun))) {
    settings[prefix + row.name] = row.value;
  }
}

std::string setting_or(const RunSummary& run, const std::string& key, const std::string& other) {
  const auto found = run.settings.find(key);
  return found == run.settings.end() ? other : found->second;
}

std::optional<double> number_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) object.refuse(key, "a number");
  return value->get<double>();
}

/// Of masked tokens; of a fine-tuning, its own.
std::optional<double> loss_in(const JsonObject& numbers) {
  const auto masked = number_in(numbers, "masked_loss");
  return masked ? masked : number_in(numbers, "loss");
}

/// The last number of each kind in metrics.jsonl, as far as it is written: a run may be going on.
void add_losses(RunSummary& run) {
  if (!fs::exists(run.folder / "metrics.jsonl")) return;
  const std::string content = read_file(run.folder / "metrics.jsonl", kMostMetrics);
  size_t number = 0;
  for (std::string_view rest = content; rest.find('\n') != std::string_view::npos;) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const std::string where = fmt::format("{}, line {}", path_text(run.folder / "metrics.jsonl"), ++number);
    const Json json = parse_json(line, where);
    const JsonObject object(json, where);
    const uint64_t step = object.require("step", object.number("step"), "a whole number");
    if (const auto losses = object.object("train")) run.train_loss = loss_in(*losses);
    if (const auto losses = object.object("valid")) {
      run.valid_loss = loss_in(*losses);
      if (static_cast<int64_t>(step) == run.best_step) run.best_loss = number_in(*losses, "loss");
    }
  }
}

/// A checkpoint's step in `object`, which says what else it holds.
int64_t best_step_in(const JsonObject& object) {
  return static_cast<int64_t>(object.require("best_step", object.number("best_step"), "a whole number"));
}

void add_state(RunSummary& run) {
  const fs::path path = run.folder / "last" / "state.json";
  if (!fs::exists(path)) return;
  const JsonObject state(parse_json(read_file(path, kMostState), path_text(path)), path_text(path));
  run.step = static_cast<int64_t>(state.require("step", state.number("step"), "a whole number"));
  run.tokens = state.require("tokens", state.number("tokens"), "a whole number");
  const Json* seconds = state.find("seconds");
  if (seconds != nullptr && seconds->is_number()) run.seconds = seconds->get<double>();
  run.best_step = best_step_in(state);
  if (run.finetuning && run.best_step > 0) run.finetuning->best_score = number_in(state, "best_score");
  const uint64_t patience = std::stoull("0" + setting_or(run, "options.patience", "0"));
  run.stopped = patience > 0 && state.number("without_gain").value_or(0) >= patience;
}

/// The test's score in metrics.json, which a run writes at its end; nothing if that is of another checkpoint.
void add_test_score(RunSummary& run) {
  const fs::path path = run.folder / "metrics.json";
  if (!run.finetuning || !fs::exists(path)) return;
  const JsonObject metrics(parse_json(read_file(path, kMostState), path_text(path)), path_text(path));
  if (best_step_in(metrics) != run.best_step) return;
  const auto scores = metrics.object_or_empty("test").object_or_empty("scores");
  run.finetuning->test_score = number_in(scores.object_or_empty(run.finetuning->metric), "value");
}

/// Task and metric of a fine-tuning run.
void add_finetuning(RunSummary& run) {
  const auto task = run.settings.find("options.task");
  if (task == run.settings.end()) return;
  FinetuningSummary own{.task = task->second,
                        .metric = setting_or(run, "options.metric", ""),
                        .train = setting_or(run, "about.train", "")};
  own.valid_is_split_off = setting_or(run, "data.valid", "").empty();
  run.finetuning = std::move(own);
}

/// What differs from BERT: the kinds by their names, and every switch that is not as it usually is.
std::string arm_name(const RunSummary& run) {
  const auto own = [&](const char* key, const char* usual) {
    return setting_or(run, std::string("model.config.summand.") + key, usual);
  };
  std::string name = own("composition", "sum") + ", " + own("position_kind", "learned");
  if (const auto kind = own("position_attention", "none"); kind != "none") name += ", " + kind;
  if (const auto kind = own("segment_attention", "none"); kind != "none") name += ", segments " + kind;
  if (own("segment_kind", "learned") == "none") name += ", no segments";
  for (const auto* part : {"token", "position", "segment"}) {
    if (own((std::string(part) + "_again").c_str(), "false") == "true") name += fmt::format(", {} again", part);
  }
  if (own("normalise_input", "true") == "false") name += ", input not normalised";
  if (const auto maps = own("attention_query_key", "own"); maps != "own") name += ", query and key maps " + maps;
  if (own("attention_value", "true") == "false") name += ", no value map";
  if (own("attention_causal", "false") == "true") name += ", causal";
  return name;
}

/// The error of a failed run.
void add_failure(RunSummary& run) {
  const fs::path path = run.folder / "failure.json";
  if (!fs::exists(path)) return;
  const JsonObject failure(read_json(path), path_text(path));
  run.failure = failure.require("error", failure.string("error"), "a text");
}

RunSummary run_in(const fs::path& folder) {
  const fs::path path = folder / kRun;
  const Json json = read_json(path);
  RunSummary run{.name = path_text(fs::absolute(folder).lexically_normal().filename()), .folder = folder, .arm = ""};
  if (run.name.empty()) run.name = path_text(folder);
  add_settings(json, "", run.settings);
  add_model_settings(json, run.settings);
  const JsonObject options = JsonObject(json, path_text(path)).object_or_empty("options");
  run.steps = static_cast<int64_t>(options.require("steps", options.size("steps"), "a whole number"));
  add_finetuning(run);
  run.arm = run.finetuning ? setting_or(run, "about.model", "") : arm_name(run);
  run.seed = setting_or(run, kSeed, "");
  add_state(run);
  add_losses(run);
  add_test_score(run);
  add_failure(run);
  return run;
}

}  // namespace

std::optional<double> RunSummary::seconds_left() const {
  if (step == 0) return std::nullopt;
  return seconds / static_cast<double>(step) * static_cast<double>(steps - step);
}

RunList read_runs(const std::vector<fs::path>& folders) {
  std::vector<fs::path> all;
  for (const auto& folder : folders) {
    if (fs::exists(folder / kRun)) {
      all.push_back(folder);
      continue;
    }
    if (!fs::is_directory(folder))
      throw IoError(path_text(folder), "expected a run's folder, or one of runs, got none");
    std::set<fs::path> inside;  // in the order of their names
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (fs::exists(entry.path() / kRun)) inside.insert(entry.path());
    }
    if (inside.empty()) {
      throw IoError(path_text(folder), "expected a run's folder, or one of runs, got one without a run.json");
    }
    all.insert(all.end(), inside.begin(), inside.end());
  }
  RunList list;
  std::set<fs::path> listed;
  for (const auto& folder : all) {
    if (!listed.insert(fs::weakly_canonical(folder)).second) continue;
    try {
      list.runs.push_back(run_in(folder));
    } catch (const Error& error) {
      list.damaged.push_back({folder, std::string(error.where()), std::string(error.message())});
    }
  }
  return list;
}

std::vector<RunGroup> group_by_kind(const std::vector<RunSummary>& runs) {
  using Key = std::array<std::string, 4>;  // task, metric, loss, training rows
  std::vector<std::pair<Key, RunGroup>> groups{{Key{}, RunGroup{.name = "pretrain", .runs = {}}}};
  for (const RunSummary& run : runs) {
    Key key;
    std::string name;
    if (const auto& own = run.finetuning) {
      key = {own->task, own->metric, setting_or(run, "data.loss", ""), setting_or(run, "data.train", "")};
      name = own->task + ", " + own->train;
    }
    auto found = std::ranges::find(groups, key, [](const auto& group) { return group.first; });
    if (found == groups.end()) found = groups.insert(groups.end(), {key, RunGroup{.name = name, .runs = {}}});
    found->second.runs.push_back(run);
  }
  std::vector<RunGroup> result;
  for (auto& [key, group] : groups) {
    if (group.runs.empty()) continue;
    result.push_back(group);
    // A file may have changed between the runs, or another metric was asked for.
    const auto differs = [&](size_t part) {
      return std::ranges::any_of(
          groups, [&](const auto& other) { return other.second.name == group.name && other.first[part] != key[part]; });
    };
    if (differs(1)) result.back().name += ", " + key[1];
    if (differs(3)) result.back().name += ", rows " + key[3];
  }
  return result;
}

std::vector<Arm> group_by_arm(const std::vector<RunSummary>& runs) {
  const auto differing = differences(runs);
  std::vector<std::pair<std::vector<std::string>, Arm>> arms;
  for (size_t i = 0; i < runs.size(); ++i) {
    std::vector<std::string> values;
    for (const auto& [key, of_runs] : differing) {
      if (key != kSeed) values.push_back(of_runs[i]);
    }
    auto found = std::ranges::find(arms, values, [](const auto& arm) { return arm.first; });
    if (found == arms.end()) found = arms.insert(arms.end(), {std::move(values), Arm{.name = runs[i].arm, .runs = {}}});
    found->second.runs.push_back(i);
  }
  std::vector<Arm> result;
  for (auto& [values, arm] : arms) {
    std::ranges::stable_sort(arm.runs, {}, [&](size_t i) { return std::pair(runs[i].seed.size(), runs[i].seed); });
    result.push_back(std::move(arm));
  }
  return result;
}

Spread mean_and_deviation(const std::vector<RunSummary>& runs, const Arm& arm, const RunNumber& number) {
  std::vector<double> values;
  for (const size_t i : arm.runs) {
    if (const auto value = number(runs[i])) values.push_back(*value);
  }
  Spread spread{.runs = values.size()};
  if (values.empty()) return spread;
  const auto count = static_cast<double>(values.size());
  spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

std::vector<std::pair<std::string, std::vector<std::string>>> differences(const std::vector<RunSummary>& runs) {
  std::set<std::string> keys;
  for (const auto& run : runs) {
    for (const auto& [key, value] : run.settings) {
      if (!key.starts_with("about.")) keys.insert(key);
    }
  }
  if (std::ranges::any_of(runs, [](const RunSummary& run) { return !run.settings.contains(kTokenizer); })) {
    keys.erase(kTokenizer);
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> result;
  for (const auto& key : keys) {
    std::vector<std::string> values;
    for (const auto& run : runs) values.push_back(setting_or(run, key, ""));
    if (std::ranges::adjacent_find(values, std::ranges::not_equal_to()) != values.end())
      result.emplace_back(key, values);
  }
  return result;
}

std::vector<std::string> differences_of_validation(const std::vector<RunSummary>& runs) {
  static constexpr std::array<std::string_view, 4> kOfMasks{"data.valid", "options.pairs", "options.valid_length",
                                                            "options.valid_sequences"};
  static constexpr std::array<std::string_view, 3> kOfRows{"data.valid", "options.valid_share", kSeed};
  const bool split = std::ranges::any_of(
      runs, [](const RunSummary& run) { return run.finetuning && run.finetuning->valid_is_split_off; });
  const bool finetuning = !runs.empty() && runs.front().finetuning;
  const std::span<const std::string_view> decide = !finetuning ? std::span<const std::string_view>(kOfMasks)
                                                   : split     ? std::span(kOfRows)
                                                               : std::span(kOfRows).first(1);
  std::vector<std::string> keys;
  for (const auto& [key, values] : differences(runs)) {
    if (std::ranges::find(decide, key) != decide.end()) keys.push_back(key);
  }
  return keys;
}

}  // namespace summand::api
