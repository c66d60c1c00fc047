#include "model/checkpoint_config.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_file.hpp"

namespace summand::model {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kFormat = "quantization_config";  // as in visit_fields

/// "BertForMaskedLM", or "SummandBertForMaskedLM" of a model that runs here alone.
std::string class_name(std::string name, bool alone) {
  const bool own = name.starts_with(kOwnArchitecture);
  if (own && !alone) return name.substr(kOwnArchitecture.size());
  return own || !alone ? name : std::string(kOwnArchitecture) + name;
}

}  // namespace

bool runs_here_alone(const Config& config) {
  Config floating = config;
  floating.weight_format = WeightFormat::floating;  // 8 bits are refused by a mark of their own
  return !is_bert(floating);
}

std::string as_checkpoint(std::string_view json) {
  const Config config = parse_config(json, "config.json").config;
  const bool alone = runs_here_alone(config);
  OrderedJson object = OrderedJson::parse(json);
  if (alone || object.contains("model_type")) object["model_type"] = alone ? kOwnModelType : "bert";
  if (object.contains("architectures") && object["architectures"].is_array()) {
    for (auto& name : object["architectures"]) {
      if (name.is_string()) name = class_name(name.get<std::string>(), alone);
    }
  }
  if (!is_in_8_bits(config.weight_format)) {
    object.erase(kFormat);
    if (alone) object[kFormat] = {{"format", std::string(name_of(WeightFormat::floating))}};
  }
  return object.dump(2) + "\n";
}

std::string checkpoint_json(const Config& config) {
  std::string json = as_checkpoint(to_json(config));
  const bool classifies = std::ranges::any_of(
      config.architectures, [](const std::string& name) { return name.find("Classification") != name.npos; });
  if (!classifies) return json;
  OrderedJson object = OrderedJson::parse(json);
  for (size_t label = 0; label < config.labels.size(); ++label) object["label2id"][config.labels[label]] = label;
  return object.dump(2) + "\n";
}

}  // namespace summand::model
