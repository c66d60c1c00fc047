#pragma once

#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

// What Linux and macOS do in different ways: platform_linux.cpp, platform_macos.cpp.
namespace summand {

/// Processors that this process may run on, at least 1.
[[nodiscard]] int allowed_processors();

/// The file of the running program; empty where that is unknown.
[[nodiscard]] std::filesystem::path program_path();

/// The processor's name and, on Linux, the numbers that tell its kind: of the first one. Or "unknown".
[[nodiscard]] std::string processor_name();

/// Bytes of the caches of one core; 0 where that is unknown.
struct CacheSizes {
  size_t l1_data = 0;
  size_t l2 = 0;
  size_t l3 = 0;
};
[[nodiscard]] CacheSizes cache_sizes();

/// Opens a pipe that no other program inherits and at which nobody waits. @return as pipe(2)
[[nodiscard]] int open_waking_pipe(std::array<int, 2>& ends);

/// Brings a file's contents to the disk. @return as fsync(2)
[[nodiscard]] int bring_to_disk(int descriptor);

/// A moment of the system's clock.
struct FileTime {
  int64_t seconds = 0;  ///< since 1970
  int64_t nanoseconds = 0;

  bool operator==(const FileTime&) const = default;
};
[[nodiscard]] FileTime modification_time(const struct stat& status);
[[nodiscard]] FileTime change_time(const struct stat& status);

}  // namespace summand
