#include "io/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::io {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!descriptor_.is_open()) throw IoError(path_text(folder), "cannot be opened: " + errno_text(errno));
  // A file system without locks is taken as it is, as for output files.
  const bool busy = ::flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (busy) {
    throw IoError(path_text(folder),
                  "expected a folder that no other run writes to, got one in use; wait for that run, "
                  "or give another folder");
  }
}

}  // namespace summand::io
