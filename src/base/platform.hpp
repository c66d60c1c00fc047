#pragma once

#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

// Functions that differ between Linux and macOS: platform_linux.cpp, platform_macos.cpp.
namespace summand {

/// Processors that this process may run on, at least 1.
[[nodiscard]] int allowed_processors();

/// The file of the running program; empty if unknown.
[[nodiscard]] std::filesystem::path program_path();

/// Name of the first processor, on Linux with its family, model and stepping, or "unknown".
[[nodiscard]] std::string processor_name();

/// Cache sizes of one core in bytes; 0 if unknown.
struct CacheSizes {
  size_t l1_data = 0;
  size_t l2 = 0;
  size_t l3 = 0;
};
[[nodiscard]] CacheSizes cache_sizes();

/// Opens a non-blocking pipe that child programs do not inherit. @return as pipe(2)
[[nodiscard]] int open_waking_pipe(std::array<int, 2>& ends);

/// Flushes a file to disk. @return as fsync(2)
[[nodiscard]] int bring_to_disk(int descriptor);

/// A time stamp of a file.
struct FileTime {
  int64_t seconds = 0;  ///< since 1970
  int64_t nanoseconds = 0;

  bool operator==(const FileTime&) const = default;
};
[[nodiscard]] FileTime modification_time(const struct stat& status);
[[nodiscard]] FileTime change_time(const struct stat& status);

}  // namespace summand
