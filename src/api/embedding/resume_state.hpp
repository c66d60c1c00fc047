#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/outputs/result_setting.hpp"

namespace summand::api {

/// The state of an unfinished file of vectors, stored as JSON in `OUT.part.state`.
struct ResumeState {
  std::vector<ResultSetting> settings = {};  ///< everything that determines the rows, except the texts
  uint64_t rows = 0;                         ///< at least one
  uint64_t bytes = 0;                        ///< of these rows, in `OUT.part`
  uint64_t texts_hash = 0;                   ///< of all texts so far
  std::optional<uint64_t> id_bytes = {};     ///< of the file of ids next to a .npy; none: no such file
  bool has_ids = false;
  bool appearing = false;  ///< whether all rows are done, and some of several files may already exist

  bool operator==(const ResumeState&) const = default;
};

/// @param where  name of the file, for messages
/// @throws IoError that says what to do, if it is damaged or of another version
[[nodiscard]] ResumeState parse_resume_state(std::string_view json, std::string_view where);

/// The inverse of parse_resume_state(). Replaces invalid UTF-8.
[[nodiscard]] std::string to_json(const ResumeState& finished);

/// @throws IoError as parse_resume_state
[[nodiscard]] ResumeState read_resume_state(const std::filesystem::path& path);

/// Reports that the unfinished file cannot be continued.
/// @throws IoError
[[noreturn]] void refuse_to_resume(std::string_view where, std::string_view got);

}  // namespace summand::api
