#include "io/sentence_transformers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "io/non_finite.hpp"
#include "io/sentence_settings.hpp"
#include "io/weight_files.hpp"

namespace summand::io {

namespace {

namespace fs = std::filesystem;
using model::Pooling;

struct PoolingMode {
  std::string_view flag;  ///< versions before 5.4: one boolean per mode
  Pooling pooling;
};

/// In the order in which several modes are put side by side when they come from flags.
constexpr std::array kPoolingModes{
    PoolingMode{"pooling_mode_cls_token", Pooling::cls},
    PoolingMode{"pooling_mode_max_tokens", Pooling::max},
    PoolingMode{"pooling_mode_mean_tokens", Pooling::mean},
    PoolingMode{"pooling_mode_mean_sqrt_len_tokens", Pooling::mean_sqrt_length},
    PoolingMode{"pooling_mode_weightedmean_tokens", Pooling::weighted_mean},
    PoolingMode{"pooling_mode_lasttoken", Pooling::last_token},
};

JsonObject required_config(const fs::path& directory) {
  auto config = read_json_object(directory / "config.json");
  if (!config) throw CheckpointError(path_text(directory), "expected a config.json of this module, got none");
  return std::move(*config);
}

Pooling pooling_named(const JsonObject& config, const Json& name) {
  for (const auto& mode : kPoolingModes) {
    if (name.is_string() && name.get<std::string>() == model::name_of(mode.pooling)) return mode.pooling;
  }
  config.refuse("pooling_mode", "cls, max, mean, mean_sqrt_len_tokens, weightedmean or lasttoken, or a list of these");
}

std::vector<Pooling> pooling_of(const JsonObject& config) {
  std::vector<Pooling> pooling;
  if (config.has("pooling_mode")) {
    const Json& mode = config.json().at("pooling_mode");
    const Json list = mode.is_array() && !mode.empty() ? mode : Json::array({mode});
    for (const Json& name : list) pooling.push_back(pooling_named(config, name));
    return pooling;
  }
  for (const auto& mode : kPoolingModes) {
    if (config.boolean(mode.flag).value_or(false)) pooling.push_back(mode.pooling);
  }
  return pooling.empty() ? std::vector{Pooling::mean} : pooling;
}

void read_pooling(const fs::path& directory, const model::Config& config, LoadedSentenceModules& loaded) {
  const JsonObject json = required_config(directory);
  for (const auto& [key, value] : json.json().items()) {
    const bool known = key == "pooling_mode" || key == "include_prompt" || key == "embedding_dimension" ||
                       key == "word_embedding_dimension" || std::ranges::count(kPoolingModes, key, &PoolingMode::flag);
    if (!known) json.refuse_setting(key);
  }
  loaded.modules.pooling = pooling_of(json);
  loaded.modules.include_prompt = json.boolean("include_prompt").value_or(true);
  const auto width = json.size(json.has("embedding_dimension") ? "embedding_dimension" : "word_embedding_dimension");
  if (width && *width != static_cast<size_t>(config.hidden_size)) {
    loaded.notices.push_back(fmt::format("{}: states {} dimensions, the model has {}, which are used", json.where(),
                                         *width, config.hidden_size));
  }
}

model::TorchActivation activation_of(const JsonObject& config, std::vector<std::string>& notices) {
  if (!config.json().contains("activation_function")) return model::TorchActivation::tanh;
  const std::string name = config.string("activation_function").value_or("");
  if (!name.empty() && !name.starts_with("torch.")) {
    notices.push_back(
        fmt::format("{}: activation_function '{}' is code of the checkpoint's author; tanh is used, as "
                    "sentence-transformers does",
                    config.where(), printable(name)));
    return model::TorchActivation::tanh;
  }
  if (const auto known = model::torch_activation_named(name)) return *known;
  config.refuse("activation_function", "one of torch.nn's " + model::known_torch_activations());
}

model::Tensor take_tensor(const WeightFiles& files, const std::string& name, const std::vector<size_t>& shape) {
  const auto found = files.tensors.find(name);
  const std::string where = path_text(files.path);
  if (found == files.tensors.end()) throw CheckpointError(where, fmt::format("expected a tensor '{}', got none", name));
  const auto& [stored_name, file, tensor, unsupported] = found->second;
  if (!unsupported.empty() || !is_floating(tensor.dtype) || tensor.shape != shape) {
    throw CheckpointError(where, fmt::format("'{}': expected F32, F16 or BF16 {}, got {}", name,
                                             model::describe(std::span<const size_t>(shape)),
                                             unsupported.empty() ? model::describe(tensor) : unsupported));
  }
  if (const auto index = first_non_finite(tensor)) {
    throw CheckpointError(
        where, fmt::format("'{}': expected finite numbers, got NaN or infinity at element {}", name, *index));
  }
  return tensor;
}

void check_sentence_keys(const JsonObject& config) {
  for (const auto* key : {"module_input_name", "module_output_name"}) {
    if (const auto name = config.string(key); name && *name != "sentence_embedding") {
      config.refuse(key, "\"sentence_embedding\"");
    }
  }
}

/// A module has the tensors that are taken of it, and no others.
void check_count(const WeightFiles& files, size_t expected, std::string_view module) {
  if (files.tensors.size() == expected) return;
  throw CheckpointError(path_text(files.path), fmt::format("expected {} tensors of a {} module, got {}", expected,
                                                           module, files.tensors.size()));
}

/// @param width  of the vectors that come in
/// @return the width of its output
size_t read_dense(const fs::path& directory, size_t width, LoadedSentenceModules& loaded) {
  const JsonObject config = required_config(directory);
  check_sentence_keys(config);
  const auto in = config.size("in_features");
  const auto out = config.size("out_features");
  if (in != width) config.refuse("in_features", fmt::format("{}, the width of what comes in", width));
  if (!out) config.refuse("out_features", "a width");
  const bool has_bias = config.boolean("bias").value_or(true);

  const WeightFiles files = read_weight_files(directory);
  model::Dense dense;
  dense.weight = take_tensor(files, "linear.weight", {*out, *in});
  if (has_bias) dense.bias = take_tensor(files, "linear.bias", {*out});
  if (config.boolean("use_residual").value_or(false)) {
    dense.residual = in == out ? model::Residual::input : model::Residual::projected;
  }
  const bool is_projected = dense.residual == model::Residual::projected;
  if (is_projected) dense.projection = take_tensor(files, "residual.weight", {*out, *in});
  check_count(files, 1 + (has_bias ? 1U : 0U) + (is_projected ? 1U : 0U), "Dense");
  dense.activation = activation_of(config, loaded.notices);
  loaded.modules.steps.emplace_back(std::move(dense));
  return *out;
}

void read_layer_norm(const fs::path& directory, size_t width, LoadedSentenceModules& loaded) {
  const JsonObject config = required_config(directory);
  if (config.size("dimension") != width) {
    config.refuse("dimension", fmt::format("{}, the width of what comes in", width));
  }
  const WeightFiles files = read_weight_files(directory);
  model::VectorNorm norm{.weight = take_tensor(files, "norm.weight", {width}),
                         .bias = take_tensor(files, "norm.bias", {width})};
  check_count(files, 2, "LayerNorm");
  loaded.modules.steps.emplace_back(std::move(norm));
}

void read_normalize(const fs::path& directory, bool is_pooled, LoadedSentenceModules& loaded) {
  if (const auto settings = read_json_object(directory / "config.json")) check_sentence_keys(*settings);
  if (is_pooled) {
    loaded.modules.steps.emplace_back(model::Normalize());
  } else {
    loaded.notices.push_back(
        fmt::format("{}: this Normalize is before the Pooling, finds no sentence vector and does nothing, as in "
                    "sentence-transformers",
                    path_text(directory)));
  }
}

/// The output of the modules so far.
struct ModuleInput {
  size_t width = 0;
  bool is_pooled = false;
};

void read_module(const ModuleEntry& module, const model::Config& config, ModuleInput& input,
                 LoadedSentenceModules& loaded) {
  switch (module.kind) {
    case ModuleKind::transformer:
    case ModuleKind::dropout:
      return;
    case ModuleKind::pooling:
      read_pooling(module.directory, config, loaded);
      input = {.width = input.width * loaded.modules.pooling.size(), .is_pooled = true};
      return;
    case ModuleKind::dense:
      input.width = read_dense(module.directory, input.width, loaded);
      return;
    case ModuleKind::layer_norm:
      return read_layer_norm(module.directory, input.width, loaded);
    case ModuleKind::normalize:
      return read_normalize(module.directory, input.is_pooled, loaded);
  }
}

/// What sentence-transformers gives every model.
model::SentenceModules default_modules() {
  model::SentenceModules modules;
  modules.prompts = {{"document", ""}, {"query", ""}};
  return modules;
}

/// Runs a step. The first of several faults is kept.
template <class Step>
void attempt(LoadedSentenceModules& loaded, const Step& step) {
  try {
    step();
  } catch (const Error&) {
    if (!loaded.fault) loaded.fault = std::current_exception();
  }
}

/// What other verbs need as well: how texts are lower-cased.
void keep_lower_case_only(LoadedSentenceModules& loaded) {
  const auto lower = loaded.modules.do_lower_case;
  loaded.modules = default_modules();
  loaded.modules.do_lower_case = lower;
  loaded.notices.clear();
}

}  // namespace

LoadedSentenceModules read_sentence_modules(const ModuleList& list, const model::Config& config) {
  LoadedSentenceModules loaded{.modules = default_modules(), .notices = {}, .fault = list.fault};
  loaded.modules.from_directory = !list.modules.empty();
  if (!list.converted_from.empty()) {
    loaded.notices.push_back(
        fmt::format("{}: its modules are those of a {} and do not apply; sentence vectors are the "
                    "mean over tokens, as sentence-transformers has it",
                    path_text(list.directory), printable(list.converted_from)));
  }
  attempt(loaded, [&] { read_transformer_settings(list, config, loaded); });
  attempt(loaded, [&] {
    ModuleInput input{.width = static_cast<size_t>(config.hidden_size)};
    for (const ModuleEntry& module : list.modules) read_module(module, config, input, loaded);
    if (loaded.modules.from_directory) read_model_settings(list.directory, loaded);
  });
  if (loaded.fault) keep_lower_case_only(loaded);
  return loaded;
}

}  // namespace summand::io
