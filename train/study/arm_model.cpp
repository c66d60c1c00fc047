#include "train/study/arm_model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "train/study/study_batch.hpp"

namespace summand::train {

namespace {

model::Config config_of(const StudyPlan& plan, const Arm& arm, const Task& task, bool separator) {
  auto json = nlohmann::ordered_json::parse(plan.model);
  json["model_type"] = "bert";
  json["vocab_size"] = static_cast<size_t>(kFirstSymbol) + task.sizes().symbols;
  json["max_position_embeddings"] = tokens_of(task.sizes(), separator);
  json["type_vocab_size"] = 2;
  if (!task.masks()) {
    for (size_t label = 0; label < task.answers(); ++label)
      json["id2label"][std::to_string(label)] = fmt::format("y{}", label);
  }
  json.merge_patch(nlohmann::ordered_json::parse(arm.config));
  const auto parsed = model::parse_config(json.dump(), fmt::format("arm {}", arm.name));
  model::require_all_read(parsed);
  model::Config config = parsed.config;
  config.architectures = {task.masks() ? "BertForMaskedLM" : "BertForTokenClassification"};
  return config;
}

}  // namespace

InitialModel arm_model(const StudyPlan& plan, const Arm& arm, const Task& task, bool separator, uint64_t seed) {
  InitialModel initial;
  initial.config = config_of(plan, arm, task, separator);
  initial.parts = {.heads = {task.masks() ? model::Head::masked_language : model::Head::token_classification}};
  if (!initial.config.tie_word_embeddings) initial.parts.decoder = model::Decoder::own;
  const std::string where = fmt::format("arm {}", arm.name);
  check_trainable(initial.config, where);
  set_first_values(initial, arm.start, seed, where);
  return initial;
}

}  // namespace summand::train
