#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "text/input_record.hpp"

namespace summand::api {

// What becomes of the ids of records (text::InputRecord::id) in outputs that have no place for them.

/// The file beside OUT that has them, OUT.ids.jsonl: a line for each row of OUT.
[[nodiscard]] std::filesystem::path ids_path(const std::filesystem::path& out);

/// One JSON value per line, null where a record has no id.
[[nodiscard]] std::string id_lines(std::span<const std::string> ids);

/// An id as a field of a .csv file: a string without its quotes, in a field's own where it needs them.
/// Source: RFC 4180, section 2
[[nodiscard]] std::string id_field(const std::string& id);

/// Of each record, in their order.
[[nodiscard]] std::vector<std::string> record_ids(std::span<const text::InputRecord> records);

/// Writes OUT.ids.jsonl, which appears whole; where no record has an id, one of an earlier OUT goes. There is none
/// beside pipes, devices and open descriptors.
/// @throws IoError if it cannot be written
void write_ids(std::span<const std::string> ids, const std::filesystem::path& out);

}  // namespace summand::api
