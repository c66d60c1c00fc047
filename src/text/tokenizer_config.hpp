#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/json_file.hpp"
#include "text/tokenizer_settings.hpp"

/// Settings in tokenizer_config.json that all layouts use. Only for .cpp files that read JSON.
namespace summand::text {

/// The file, if the directory has one.
/// @throws IoError, ConfigError naming the line
[[nodiscard]] std::optional<JsonObject> read_config(const std::filesystem::path& directory);

/// `model_max_length`, or the older `max_len`; nothing if it is absent or so large that it means none.
[[nodiscard]] std::optional<size_t> read_model_max_length(const JsonObject& config);

}  // namespace summand::text
