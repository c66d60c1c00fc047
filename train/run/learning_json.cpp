#include "train/run/learning_json.hpp"

#include <nlohmann/json.hpp>

namespace summand::train {

void add_to(nlohmann::ordered_json& json, const LearningOptions& options) {
  json["steps"] = options.steps;
  json["learning_rate"] = options.learning_rate;
  json["warmup"] = options.warmup;
  json["schedule"] = model::name_of(options.schedule);
  json["beta1"] = options.adamw.beta1;
  json["beta2"] = options.adamw.beta2;
  json["epsilon"] = options.adamw.epsilon;
  json["weight_decay"] = options.adamw.weight_decay;
  json["clip"] = options.clip;
}

}  // namespace summand::train
