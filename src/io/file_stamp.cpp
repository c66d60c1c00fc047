#include "io/file_stamp.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::io {

FileStamp file_stamp(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw IoError(path_text(path), fmt::format("cannot be read: {}", errno_text(errno)));
  }
  return {.bytes = static_cast<uint64_t>(status.st_size),
          .inode = static_cast<uint64_t>(status.st_ino),
          .modified = modification_time(status),
          .changed = change_time(status)};
}

}  // namespace summand::io
