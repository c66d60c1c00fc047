#pragma once

#include <nlohmann/json.hpp>

namespace summand::cli {

/// Prints a value on standard output, indented. Bytes that are not UTF-8, as a text or a path may hold, are replaced.
void print_json(const nlohmann::ordered_json& json);

/// The same on one line, for verbs that print an object per text.
void print_json_line(const nlohmann::ordered_json& json);

}  // namespace summand::cli
