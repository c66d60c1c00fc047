#pragma once

#include <nlohmann/json.hpp>

namespace summand::cli {

/// Prints a value on standard output, indented. Replaces invalid UTF-8, which texts and paths may contain.
void print_json(const nlohmann::ordered_json& json);

/// The same on one line, for verbs that print an object per text.
void print_json_line(const nlohmann::ordered_json& json);

/// The id of an InputRecord as a value; null if it has none.
[[nodiscard]] nlohmann::ordered_json id_json(const std::string& id);

/// The object with `id` before its other keys; unchanged if there is none.
/// @param id  of an InputRecord, as JSON; empty: none
[[nodiscard]] nlohmann::ordered_json with_id(const std::string& id, nlohmann::ordered_json json);

/// Width of an id in a table.
inline constexpr size_t kIdWidth = 24;

/// An id in a table: a string without its quotes, or the number; empty for null.
[[nodiscard]] std::string shown_id(const nlohmann::ordered_json& id);

}  // namespace summand::cli
