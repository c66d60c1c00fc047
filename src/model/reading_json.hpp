#pragma once

// Exposes JSON types: only for .cpp files.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_file.hpp"
#include "model/reading.hpp"

namespace summand::model {

/// Reads {"max_length": 128, "truncation": "head"} or {"max_length": 128, "windows": "mean", "overlap": 16}.
/// @throws ConfigError naming the key: an unknown one, a value that is impossible, `truncation` with `windows`, or
///   `overlap` without
[[nodiscard]] Reading read_reading(const JsonObject& object);

/// @param name  of the object, for messages
/// @throws ConfigError naming a key that is not known
void require_known_keys(const JsonObject& object, std::string_view name, const std::vector<std::string>& known);

/// Writes what read_reading() reads.
[[nodiscard]] nlohmann::ordered_json write_reading(const Reading& reading);

}  // namespace summand::model
