#include "train/run/checkpoint_files.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_file.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_writer.hpp"
#include "model/checkpoint_config.hpp"
#include "model/window_bert.hpp"
#include "text/tokenizer.hpp"
#include "train/run/whole_file.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWeights = "model.safetensors";
constexpr char kFolderEnd = '/';  // in names of tensors

std::string read_vocabulary(const fs::path& folder) {
  if (fs::exists(folder / "vocab.txt")) return read_file(folder / "vocab.txt", size_t{1} << 30);
  const auto tokenizer = text::Tokenizer::load(folder);
  std::string lines;
  for (size_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    lines += std::string(tokenizer.token(static_cast<int32_t>(id))) + "\n";
  }
  return lines;
}

nlohmann::ordered_json tokenizer_config(const fs::path& folder) {
  const fs::path path = folder / "tokenizer_config.json";
  if (!fs::exists(path)) return nlohmann::ordered_json::object();
  auto config = nlohmann::ordered_json::parse(read_json_text(path), nullptr, false);
  if (!config.is_object()) throw ConfigError(path.string(), "expected an object");
  return config;
}

/// Of a parameter in transformers' class: all but heads and a transformer over windows have the prefix `bert.`,
/// and none in BertModel.
std::string name_in_class(const std::string& name, const model::Config& config) {
  const bool alone = config.architectures == std::vector<std::string>{"BertModel"};
  for (const std::string_view own : {"cls.", "classifier.", "qa_outputs.", model::kWindowEncoderPrefix.data()}) {
    if (alone || name.starts_with(own)) return name;
  }
  return "bert." + name;
}

/// Together with a BERT's config.json, files that name no class are read by BERT's tokenizer; so write the class.
void keep_class(const text::Tokenizer& tokenizer, nlohmann::ordered_json& config) {
  const std::string_view name = tokenizer.class_name();
  config["tokenizer_class"] = name.empty() ? "PreTrainedTokenizerFast" : name;
  if (name.empty() && !config.contains("model_input_names")) {
    config["model_input_names"] = {"input_ids", "token_type_ids", "attention_mask"};
  }
}

}  // namespace

TokenizerContents tokenizer_contents(const fs::path& folder, size_t positions, TokenizerFiles needed) {
  for (const auto* name : {"tokenizer.json", "tokenizer_config.json"}) {
    if (needed == TokenizerFiles::that_exist || fs::exists(folder / name)) continue;
    throw ConfigError(folder.string(), fmt::format("expected '{}' next to the vocabulary, which others read, got none; "
                                                   "'summand vocab' writes it",
                                                   name));
  }
  auto config = tokenizer_config(folder);
  config["model_max_length"] = positions;
  keep_class(text::Tokenizer::load(folder), config);
  TokenizerContents contents{{"vocab.txt", read_vocabulary(folder)}, {"tokenizer_config.json", config.dump(2) + "\n"}};
  if (fs::exists(folder / "tokenizer.json")) {
    contents.emplace_back("tokenizer.json", read_file(folder / "tokenizer.json", size_t{1} << 30));
  }
  for (const auto* name : {"special_tokens_map.json", "added_tokens.json"}) {
    if (fs::exists(folder / name)) contents.emplace_back(name, read_json_text(folder / name));
  }
  return contents;
}

void write_checkpoint_files(const fs::path& folder, const model::Config& config, const model::Weights& weights,
                            const TokenizerContents& tokenizer) {
  std::map<std::string, model::Weights> by_folder;  // "": the model's own
  for (const auto& [name, tensor] : weights) {
    const size_t slash = name.find(kFolderEnd);
    if (slash != std::string::npos) {
      by_folder[name.substr(0, slash)].set(name.substr(slash + 1), tensor);
    } else {
      by_folder[""].set(name_in_class(name, config), tensor);
    }
  }
  for (const auto& [name, tensors] : by_folder) {
    fs::create_directories(folder / name);
    io::write_safetensors(folder / name / kWeights, tensors, {{"format", "pt"}});
  }
  write_whole(folder / "config.json", model::checkpoint_json(config));
  for (const auto& [name, content] : tokenizer) {
    fs::create_directories((folder / name).parent_path());
    write_whole(folder / name, content);
  }
}

model::Weights checkpoint_weights(const fs::path& folder) {
  model::Weights weights;
  for (const auto& [name, tensor] : io::read_safetensors(folder / kWeights).tensors) {
    weights.set(name.starts_with("bert.") ? name.substr(5) : name, tensor);
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory() || !fs::exists(entry.path() / kWeights)) continue;
    const std::string before = entry.path().filename().string() + kFolderEnd;
    for (const auto& [name, tensor] : io::read_safetensors(entry.path() / kWeights).tensors) {
      weights.set(before + name, tensor);
    }
  }
  return weights;
}

}  // namespace summand::train
