#pragma once

#include <filesystem>

namespace summand::train {

/// A checkpoint's file of the hashes of its other files.
inline constexpr const char* kChecksums = "checksums.json";

/// Writes checksums.json: bytes and hash of every file that lies in the folder.
/// @throws IoError if one cannot be read or it cannot be written
void write_checksums(const std::filesystem::path& folder);

/// Compares every file that checksums.json names with what it says.
/// @return false where there is no checksums.json: a checkpoint of an older summand
/// @throws CheckpointError naming the file that is damaged or gone, or was changed
[[nodiscard]] bool verify_checksums(const std::filesystem::path& folder);

}  // namespace summand::train
