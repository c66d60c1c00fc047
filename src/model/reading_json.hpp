#pragma once

// Exposes JSON types: only for .cpp files.

#include <nlohmann/json.hpp>

#include "base/json_file.hpp"
#include "model/reading.hpp"

namespace summand::model {

/// Reads {"max_length": 128, "truncation": "head"} or {"max_length": 128, "windows": "mean", "overlap": 16}.
/// @throws ConfigError naming the key: an unknown one, a value that is impossible, `truncation` with `windows`, or
///   `overlap` without
[[nodiscard]] Reading read_reading(const JsonObject& object);

/// Writes what read_reading() reads.
[[nodiscard]] nlohmann::ordered_json written(const Reading& reading);

}  // namespace summand::model
