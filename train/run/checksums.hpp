#pragma once

#include <filesystem>

namespace summand::train {

/// The file with the hashes of a checkpoint's other files.
inline constexpr const char* kChecksums = "checksums.json";

/// Writes checksums.json: size and hash of every file in the folder and the folders in it.
/// @throws IoError if one cannot be read or it cannot be written
void write_checksums(const std::filesystem::path& folder);

/// Verifies every file listed in checksums.json.
/// @return false if there is no checksums.json: a checkpoint of an older version
/// @throws CheckpointError naming the file that is missing or differs
[[nodiscard]] bool verify_checksums(const std::filesystem::path& folder);

}  // namespace summand::train
