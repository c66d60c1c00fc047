#include "train/run/run_state.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_file.hpp"

namespace summand::train {

namespace {

RunState state_from(const Json& json) {
  RunState state;
  state.progress = {.step = json.at("step"), .tokens = json.at("tokens")};
  const Json& interval = json.at("interval");
  state.interval = {.sums = interval.at("sums").get<Sums>(),
                    .tokens = interval.at("tokens"),
                    .steps = interval.at("steps"),
                    .gradient_norm = interval.at("gradient_norm"),
                    .part_norms = interval.at("part_norms").get<std::map<std::string, double>>(),
                    .seconds = interval.at("seconds")};
  state.best_step = json.at("best_step");
  if (state.best_step > 0) {
    const bool is_older = !json.contains("best_score");  // when the score was the loss
    state.best_score = json.at(is_older ? "best_loss" : "best_score");
    state.best_loss = is_older ? 0 : json.value("best_loss", 0.0);
  }
  state.without_gain = json.at("without_gain");
  state.metrics_bytes = json.at("metrics_bytes");
  state.seconds = json.at("seconds");
  return state;
}

}  // namespace

std::string to_json(const RunState& state) {
  const Interval& interval = state.interval;
  nlohmann::ordered_json json{{"step", state.progress.step}, {"tokens", state.progress.tokens}};
  json.update(nlohmann::ordered_json::parse(state.task));
  json["interval"] = {{"sums", interval.sums},
                      {"tokens", interval.tokens},
                      {"steps", interval.steps},
                      {"gradient_norm", interval.gradient_norm},
                      {"part_norms", interval.part_norms},
                      {"seconds", interval.seconds}};
  json["best_step"] = state.best_step;
  json["without_gain"] = state.without_gain;
  json["metrics_bytes"] = state.metrics_bytes;
  json["seconds"] = state.seconds;
  if (state.best_step > 0) {
    json["best_score"] = state.best_score;
    json["best_loss"] = state.best_loss;
  }
  return json.dump(1) + "\n";
}

RunState run_state(const std::string& json, const std::string& path) {
  try {
    RunState state = state_from(Json::parse(json));
    state.task = json;
    return state;
  } catch (const Json::exception& fault) {
    throw CheckpointError(path, fmt::format("is damaged: {}", fault.what()));
  }
}

}  // namespace summand::train
