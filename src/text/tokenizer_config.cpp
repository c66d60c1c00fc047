#include "text/tokenizer_config.hpp"

namespace summand::text {

std::optional<JsonObject> read_config(const std::filesystem::path& directory) {
  return read_json_object(directory / "tokenizer_config.json");
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
