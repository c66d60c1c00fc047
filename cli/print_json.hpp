#pragma once

#include <nlohmann/json.hpp>

namespace summand::cli {

/// Prints a value on standard output, indented. Bytes that are not UTF-8, as a text or a path may hold, are replaced.
void print_json(const nlohmann::ordered_json& json);

/// The same on one line, for verbs that print an object per text.
void print_json_line(const nlohmann::ordered_json& json);

/// An id of an InputRecord as a value; null of none.
[[nodiscard]] nlohmann::ordered_json id_json(const std::string& id);

/// The object with `id` before its other keys; unchanged where there is none.
/// @param id  of an InputRecord, as JSON; empty: none
[[nodiscard]] nlohmann::ordered_json with_id(const std::string& id, nlohmann::ordered_json json);

/// Columns that a table gives to an id.
inline constexpr size_t kIdWidth = 24;

/// What a table shows of an id: a string without its quotes, or the number; nothing of null.
[[nodiscard]] std::string shown_id(const nlohmann::ordered_json& id);

}  // namespace summand::cli
