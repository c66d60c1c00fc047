#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/json_file.hpp"
#include "text/tokenizer_settings.hpp"

/// What all classes layouts take from tokenizer_config.json. For the .cpp files that read JSON only.
namespace summand::text {

/// The file, where the directory has one.
/// @throws IoError, ConfigError naming the line
[[nodiscard]] std::optional<JsonObject> read_config(const std::filesystem::path& directory);

/// `model_max_length`, or the older `max_len`; nothing where it is absent or so large that it means none.
[[nodiscard]] std::optional<size_t> read_model_max_length(const JsonObject& config);

}  // namespace summand::text
