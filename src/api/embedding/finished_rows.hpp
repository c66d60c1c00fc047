#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/outputs/setting.hpp"

namespace summand::api {

/// The state of an unfinished file of vectors, stored as JSON in `OUT.part.state`.
struct FinishedRows {
  std::vector<Setting> settings = {};     ///< everything that determines the rows, except the texts
  uint64_t rows = 0;                      ///< at least one
  uint64_t bytes = 0;                     ///< of these rows, in `OUT.part`
  uint64_t texts_hash = 0;                ///< of all texts so far
  std::optional<uint64_t> id_bytes = {};  ///< of the file of ids next to a .npy; none: no such file
  bool has_ids = false;
  bool appearing = false;  ///< whether all rows are done, and some of several files may already exist

  bool operator==(const FinishedRows&) const = default;
};

/// @param where  name of the file, for messages
/// @throws IoError that says what to do, if it is damaged or of another version
[[nodiscard]] FinishedRows parse_finished_rows(std::string_view json, std::string_view where);

/// The inverse of parse_finished_rows(). Replaces invalid UTF-8.
[[nodiscard]] std::string to_json(const FinishedRows& finished);

/// @throws IoError as parse_finished_rows
[[nodiscard]] FinishedRows read_finished_rows(const std::filesystem::path& path);

/// Reports that the unfinished file cannot be continued.
/// @throws IoError
[[noreturn]] void refuse_finished_rows(std::string_view where, std::string_view got);

}  // namespace summand::api
