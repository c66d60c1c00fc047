#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace summand::io {

/// How a file stands, by what the system says of it. The system sets the time of change itself: nobody writes to a
/// file, or puts another one in its place, and leaves its stamp as it was, but within one step of the system's clock.
struct FileStamp {
  uint64_t bytes = 0;
  uint64_t inode = 0;
  int64_t modified = 0;  ///< nanoseconds since 1970
  int64_t changed = 0;   ///< likewise

  bool operator==(const FileStamp&) const = default;
};

/// A file and its stamp.
struct StampedFile {
  std::filesystem::path path;
  FileStamp stamp;

  bool operator==(const StampedFile&) const = default;
};

/// @throws IoError if there is no such file
[[nodiscard]] StampedFile stamped(const std::filesystem::path& path);

/// A hash of a file's contents. The same for every number of threads.
/// @throws IoError if it cannot be read
[[nodiscard]] uint64_t hash_of_file(const std::filesystem::path& path, int threads);

}  // namespace summand::io
