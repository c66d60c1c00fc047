#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/outputs/setting.hpp"

namespace summand::api {

/// What a run has finished of a file of vectors, and what it was made of: what `OUT.part.state` says, as JSON.
struct FinishedRows {
  std::vector<Setting> settings = {};     ///< all that the rows depend on, but the texts
  uint64_t rows = 0;                      ///< at least one
  uint64_t bytes = 0;                     ///< of these rows, in `OUT.part`
  uint64_t texts_hash = 0;                ///< of all texts so far
  std::optional<uint64_t> id_bytes = {};  ///< of the file beside a .npy; none: there is none
  bool has_ids = false;
  bool appearing = false;  ///< whether the run was whole, and some of its several files may be there already

  bool operator==(const FinishedRows&) const = default;
};

/// @param where  what the message calls the file
/// @throws IoError, with what to do, if it is damaged or of another version of this program
[[nodiscard]] FinishedRows parse_finished_rows(std::string_view json, std::string_view where);

/// What parse_finished_rows reads. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string to_json(const FinishedRows& finished);

/// @throws IoError as parse_finished_rows
[[nodiscard]] FinishedRows read_finished_rows(const std::filesystem::path& path);

/// That what is there cannot be continued.
/// @throws IoError
[[noreturn]] void refuse_finished_rows(std::string_view where, std::string_view got);

}  // namespace summand::api
