#include "train/checkpoint_files.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_file.hpp"
#include "io/safetensors_writer.hpp"
#include "model/checkpoint_config.hpp"
#include "text/tokenizer.hpp"
#include "train/whole_file.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;

std::string read_vocabulary(const fs::path& folder) {
  if (fs::exists(folder / "vocab.txt")) return read_file(folder / "vocab.txt", size_t{1} << 30);
  const auto tokenizer = text::Tokenizer::load(folder);
  std::string lines;
  for (size_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    lines += std::string(tokenizer.token(static_cast<int32_t>(id))) + "\n";
  }
  return lines;
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

TokenizerContents tokenizer_contents(const fs::path& folder, size_t positions) {
  for (const auto* name : {"tokenizer.json", "tokenizer_config.json"}) {
    if (fs::exists(folder / name)) continue;
    throw ConfigError(folder.string(), fmt::format("expected '{}' next to the vocabulary, which others read, got none; "
                                                   "'summand vocab' writes it",
                                                   name));
  }
  auto config = nlohmann::ordered_json::parse(read_json_text(folder / "tokenizer_config.json"), nullptr, false);
  if (!config.is_object()) throw ConfigError((folder / "tokenizer_config.json").string(), "expected an object");
  config["model_max_length"] = positions;
  keep_class(text::Tokenizer::load(folder), config);
  TokenizerContents contents{{"tokenizer.json", read_file(folder / "tokenizer.json", size_t{1} << 30)},
                             {"vocab.txt", read_vocabulary(folder)},
                             {"tokenizer_config.json", config.dump(2) + "\n"}};
  for (const auto* name : {"special_tokens_map.json", "added_tokens.json"}) {
    if (fs::exists(folder / name)) contents.emplace_back(name, read_json_text(folder / name));
  }
  return contents;
}

void write_checkpoint_files(const fs::path& folder, const model::Config& config, const model::Weights& weights,
                            const TokenizerContents& tokenizer) {
  model::Weights named;
  for (const auto& [name, tensor] : weights) named.set(name.starts_with("cls.") ? name : "bert." + name, tensor);
  io::write_safetensors(folder / "model.safetensors", named, {{"format", "pt"}});
  write_whole(folder / "config.json", model::checkpoint_json(config));
  for (const auto& [name, content] : tokenizer) write_whole(folder / name, content);
}

}  // namespace summand::train
