#include "text/tokenizer_config.hpp"

namespace summand::text {

std::optional<JsonObject> read_config(const std::filesystem::path& directory) {
  return read_json_object(directory / "tokenizer_config.json");
}

std::optional<std::string> token_name(const JsonObject& object, std::string_view key) {
  const auto* value = object.find(key);
  if (!value) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  if (!value->is_object()) object.refuse(key, "a token");
  const JsonObject token = object.below(key, *value);
  return token.require("content", token.string("content"), "a token");
}

void read_names(const JsonObject& config, SpecialNames& names) {
  const auto replace = [&config](std::string_view key, std::optional<std::string>& name) {
    if (auto found = token_name(config, key)) name = std::move(found);
  };
  replace("unk_token", names.unk);
  replace("sep_token", names.sep);
  replace("pad_token", names.pad);
  replace("cls_token", names.cls);
  replace("mask_token", names.mask);
}

std::optional<size_t> read_model_max_length(const JsonObject& config) {
  constexpr double kNone = 1e9;  // transformers writes 1e30 for "no limit"
  for (const std::string_view key : {"model_max_length", "max_len"}) {
    const auto* value = config.find(key);
    if (!value) continue;
    if (!value->is_number() || value->get<double>() < 1) config.refuse(key, "a length of at least 1");
    const double length = value->get<double>();
    if (length >= kNone) return std::nullopt;
    return static_cast<size_t>(length);
  }
  return std::nullopt;
}

}  // namespace summand::text
