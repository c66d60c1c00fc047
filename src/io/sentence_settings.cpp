#include "io/sentence_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"

namespace summand::io {

namespace {

namespace fs = std::filesystem;

/// The first of the file's names, old ones included, that holds a non-empty object.
JsonObject transformer_settings(const fs::path& directory) {
  for (const auto* name : {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"}) {
    auto settings = read_json_object(directory / fmt::format("sentence_{}_config.json", name));
    if (settings && !settings->json().empty()) return std::move(*settings);
  }
  return {Json::object(), path_text(directory / "sentence_bert_config.json")};
}

void require_text(const JsonObject& settings, std::string_view key, std::string_view expected) {
  if (const auto text = settings.string(key); text && *text != expected) {
    settings.refuse(key, fmt::format("\"{}\"", expected));
  }
}

/// Refuses every key of an object that is not known to leave the result alone.
template <size_t Count>
void refuse_other_keys(const JsonObject& object, const std::array<std::string_view, Count>& harmless) {
  for (const auto& [key, value] : object.json().items()) {
    if (std::ranges::count(harmless, std::string_view(key)) > 0 || value.is_null()) continue;
    object.refuse_setting(key);
  }
}

/// The processor's settings under both names they had.
JsonObject under_either(const JsonObject& settings, std::string_view new_name, std::string_view old_name) {
  return settings.object_or_empty(settings.has(old_name) ? old_name : new_name);
}

void check_modality(const JsonObject& settings) {
  if (!settings.has("modality_config")) return;
  const JsonObject modality = settings.object_or_empty("modality_config");
  if (!modality.has("text")) modality.refuse("text", "how text is read");
  const JsonObject text = modality.object_or_empty("text");
  require_text(text, "method", "forward");
  require_text(text, "method_output_name", "last_hidden_state");
}

/// Refuses what changes the hidden states or the tokens.
void check_supported(const JsonObject& settings) {
  require_text(settings, "transformer_task", "feature-extraction");
  require_text(settings, "module_output_name", "token_embeddings");
  check_modality(settings);
  constexpr std::array<std::string_view, 0> kNone{};
  constexpr std::array<std::string_view, 7> kModel{"torch_dtype",       "dtype",      "attn_implementation",
                                                   "low_cpu_mem_usage", "device_map", "use_safetensors",
                                                   "add_pooling_layer"};
  constexpr std::array<std::string_view, 5> kProcessor{"model_max_length", "padding_side", "use_fast", "padding",
                                                       "clean_up_tokenization_spaces"};
  constexpr std::array<std::string_view, 3> kText{"padding", "pad_to_multiple_of", "return_tensors"};
  refuse_other_keys(under_either(settings, "config_kwargs", "config_args"), kNone);
  refuse_other_keys(under_either(settings, "model_kwargs", "model_args"), kModel);
  refuse_other_keys(under_either(settings, "processor_kwargs", "tokenizer_args"), kProcessor);
  const JsonObject processing = settings.object_or_empty("processing_kwargs");
  refuse_other_keys(processing.object_or_empty("common"), kText);
  refuse_other_keys(processing.object_or_empty("text"), kText);
}

/// The tokenizer's limit. If absent or the huge number that means none: no limit.
std::optional<size_t> tokenizer_limit(const fs::path& directory) {
  const auto tokenizer = read_json_object(directory / "tokenizer_config.json");
  if (!tokenizer) return std::nullopt;
  const auto* key = tokenizer->has("model_max_length") ? "model_max_length" : "max_len";
  if (!tokenizer->has(key)) return std::nullopt;
  const Json& value = tokenizer->json().at(key);
  if (value.is_number_float() && value.get<double>() > 1e9) return std::nullopt;
  return tokenizer->size(key);
}

}  // namespace

void read_transformer_settings(const ModuleList& list, const model::Config& config, LoadedSentenceModules& loaded) {
  const fs::path& directory = list.transformer_directory();
  const auto positions = static_cast<size_t>(config.max_position_embeddings);
  std::optional<size_t> stated;
  if (!list.modules.empty()) {
    const JsonObject settings = transformer_settings(directory);
    loaded.modules.do_lower_case = settings.boolean("do_lower_case");
    check_supported(settings);
    stated = under_either(settings, "processor_kwargs", "tokenizer_args").size("model_max_length");
    if (!stated) stated = settings.size("max_seq_length");
    for (const auto* key : {"query_length", "document_length", "query_expansion"}) {
      if (settings.has(key)) loaded.notices.push_back(fmt::format("{}: {} is ignored", settings.where(), key));
    }
    if (stated > positions) {
      loaded.notices.push_back(fmt::format("{}: max_seq_length is {}, the model has {} positions, which is the limit",
                                           settings.where(), *stated, positions));
    }
  }
  if (!stated) stated = tokenizer_limit(directory);
  loaded.modules.max_seq_length = std::min(stated.value_or(positions), positions);
}

namespace {

/// sentence-transformers ignores unknown names, such as those of other model types.
void read_similarity(const JsonObject& settings, LoadedSentenceModules& loaded) {
  constexpr const char* kKey = "similarity_fn_name";
  const Json* value = settings.find(kKey);
  if (value == nullptr) return;
  const auto known =
      value->is_string() ? model::value_named<model::Similarity>(value->get<std::string>()) : std::nullopt;
  loaded.modules.names_similarity = known.has_value();
  if (known) {
    loaded.modules.similarity = *known;
  } else {
    loaded.notices.push_back(
        fmt::format("{}: {}: expected one of {}, got {}; cosine is used, as sentence-transformers "
                    "does",
                    settings.where(), kKey, model::known_names<model::Similarity>(), shown(*value)));
  }
}

}  // namespace

void read_model_settings(const fs::path& directory, LoadedSentenceModules& loaded) {
  const auto settings = read_json_object(directory / "config_sentence_transformers.json");
  if (!settings) return;
  auto& modules = loaded.modules;
  const JsonObject prompts = settings->object_or_empty("prompts");
  for (const auto& [name, value] : prompts.json().items()) {
    modules.prompts[name] = prompts.string(name).value_or("");
  }
  modules.default_prompt_name = settings->string("default_prompt_name");
  if (const auto& name = modules.default_prompt_name; name && !modules.prompts.contains(*name)) {
    settings->refuse("default_prompt_name", "one of the prompts");
  }
  modules.truncate_dimensions = settings->size("truncate_dim");
  read_similarity(*settings, loaded);
}

}  // namespace summand::io
