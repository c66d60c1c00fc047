#pragma once

#include <cstdint>
#include <filesystem>

#include "base/platform.hpp"

namespace summand::io {

/// How a file stands, by what the system says of it. Two that differ are of a file that was written to or replaced in
/// between. Two that are the same prove nothing: images may have times of their own, and a write through a shared map
/// may leave them.
struct FileStamp {
  uint64_t bytes = 0;
  uint64_t inode = 0;
  FileTime modified;
  FileTime changed;

  bool operator==(const FileStamp&) const = default;
};

/// @throws IoError if there is no such file
[[nodiscard]] FileStamp file_stamp(const std::filesystem::path& path);

}  // namespace summand::io
