#include "train/tasks/dump.hpp"

#include <nlohmann/json.hpp>

namespace summand::train {

namespace {

nlohmann::ordered_json json_of(const Task& task, const TaskSequence& sequence) {
  nlohmann::ordered_json json{{"symbols", sequence.symbols}, {"segments", sequence.segments}};
  if (sequence.boundary < task.sizes().length) json["boundary"] = sequence.boundary;
  json["asked"] = sequence.asked;
  json["answers"] = sequence.answers;
  json["posterior"] = json_rows(task.posterior(sequence));
  for (const auto& [what, rows] : task.hidden_posteriors(sequence)) json["hidden"][what] = json_rows(rows);
  return json;
}

}  // namespace

std::string dump(const Task& task, size_t sequences) {
  nlohmann::ordered_json json{{"task", task.name()},           {"seed", task.seed()},
                              {"length", task.sizes().length}, {"symbols", task.sizes().symbols},
                              {"tables", task.tables()},       {"sequences", nlohmann::ordered_json::array()}};
  for (size_t index = 0; index < sequences; ++index) {
    json["sequences"].push_back(json_of(task, task.draw(DataPart::evaluation, index)));
  }
  json["context_free"] = task.context_free();
  return json.dump();
}

}  // namespace summand::train
