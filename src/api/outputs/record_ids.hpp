#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "text/input_record.hpp"

namespace summand::api {

// Writes the ids of records (text::InputRecord::id) for outputs that have no place for them.

/// OUT.ids.jsonl: one line per row of OUT.
[[nodiscard]] std::filesystem::path ids_path(const std::filesystem::path& out);

/// One JSON value per line, null for a record without an id.
[[nodiscard]] std::string id_lines(std::span<const std::string> ids);

/// An id as a field of a .csv file: a string without its JSON quotes, quoted for CSV if needed.
/// Source: RFC 4180, section 2
[[nodiscard]] std::string id_field(const std::string& id);

/// The ids of the records, in order.
[[nodiscard]] std::vector<std::string> record_ids(std::span<const text::InputRecord> records);

/// Writes OUT.ids.jsonl, which appears whole. If no record has an id, removes the file of an earlier OUT. Does nothing
/// for pipes, devices and open descriptors.
/// @throws IoError if it cannot be written
void write_ids(std::span<const std::string> ids, const std::filesystem::path& out);

}  // namespace summand::api
