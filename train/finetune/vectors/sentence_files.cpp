#include "train/finetune/vectors/sentence_files.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "train/finetune/vectors/sentence_vectors.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// In the order in which sentence-transformers puts several poolings side by side.
constexpr std::array kPoolingFlags{
    std::pair{model::Pooling::cls, "pooling_mode_cls_token"},
    std::pair{model::Pooling::max, "pooling_mode_max_tokens"},
    std::pair{model::Pooling::mean, "pooling_mode_mean_tokens"},
    std::pair{model::Pooling::mean_sqrt_length, "pooling_mode_mean_sqrt_len_tokens"},
    std::pair{model::Pooling::weighted_mean, "pooling_mode_weightedmean_tokens"},
    std::pair{model::Pooling::last_token, "pooling_mode_lasttoken"},
};

OrderedJson pooling_json(const model::SentenceModules& modules, size_t hidden) {
  std::vector<model::Pooling> in_order;
  OrderedJson flags;
  for (const auto& [pooling, flag] : kPoolingFlags) {
    const bool is_used = std::ranges::find(modules.pooling, pooling) != modules.pooling.end();
    if (is_used) in_order.push_back(pooling);
    flags[flag] = is_used;
  }
  OrderedJson json;
  if (in_order == modules.pooling) {
    json["word_embedding_dimension"] = hidden;
    json.update(flags);
  } else {
    json["embedding_dimension"] = hidden;
    for (const auto pooling : modules.pooling) json["pooling_mode"].push_back(model::name_of(pooling));
  }
  json["include_prompt"] = modules.include_prompt;
  return json;
}

OrderedJson dense_json(const model::Dense& dense) {
  OrderedJson json{{"in_features", dense.weight.shape[1]},
                   {"out_features", dense.weight.shape[0]},
                   {"bias", dense.bias.has_value()},
                   {"activation_function", model::name_of(dense.activation)}};
  if (dense.residual != model::Residual::none) json["use_residual"] = true;
  return json;
}

OrderedJson transformer_json(const model::SentenceModules& modules, model::Pooler pooler) {
  OrderedJson json{{"max_seq_length", nullptr}, {"do_lower_case", modules.do_lower_case.value_or(false)}};
  if (modules.max_seq_length) json["max_seq_length"] = *modules.max_seq_length;
  if (pooler == model::Pooler::absent) json["model_args"] = {{"add_pooling_layer", false}};
  return json;
}

OrderedJson model_json(const model::SentenceModules& modules) {
  OrderedJson json{{"prompts", modules.prompts}, {"default_prompt_name", nullptr}};
  if (modules.default_prompt_name) json["default_prompt_name"] = *modules.default_prompt_name;
  json["similarity_fn_name"] = model::name_of(modules.similarity);
  if (modules.truncate_dimensions) json["truncate_dim"] = *modules.truncate_dimensions;
  return json;
}

class ModuleList {
 public:
  void add(std::string_view kind, const std::string& path) {
    const std::string name = std::to_string(json_.size());
    json_.push_back({{"idx", json_.size()},
                     {"name", name},
                     {"path", path},
                     {"type", "sentence_transformers.models." + std::string(kind)}});
  }
  [[nodiscard]] const OrderedJson& json() const { return json_; }

 private:
  OrderedJson json_ = OrderedJson::array();
};

}  // namespace

std::vector<std::pair<std::string, std::string>> sentence_files(const model::SentenceModules& modules, size_t hidden,
                                                                model::Pooler pooler) {
  std::vector<std::pair<std::string, std::string>> files;
  const auto write = [&](const std::string& name, const OrderedJson& json) {
    files.emplace_back(name, json.dump(2) + "\n");
  };
  ModuleList list;
  list.add("Transformer", "");
  list.add("Pooling", "1_Pooling");
  write("1_Pooling/config.json", pooling_json(modules, hidden));
  for (size_t step = 0; step < modules.steps.size(); ++step) {
    const std::string folder = module_folder(modules, step);
    list.add(std::string_view(folder).substr(folder.find('_') + 1), folder);
    if (const auto* dense = std::get_if<model::Dense>(&modules.steps[step])) {
      write(folder + "/config.json", dense_json(*dense));
    }
    if (const auto* norm = std::get_if<model::VectorNorm>(&modules.steps[step])) {
      write(folder + "/config.json", {{"dimension", norm->weight.shape[0]}});
    }
  }
  write("modules.json", list.json());
  write("sentence_bert_config.json", transformer_json(modules, pooler));
  write("config_sentence_transformers.json", model_json(modules));
  return files;
}

}  // namespace summand::train
