#pragma once

#include <filesystem>

#include "io/file_descriptor.hpp"

namespace summand::io {

/// A folder that one run has to itself until this object goes, or the process ends in whatever way. Nothing is put into
/// the folder: the lock is the system's (flock), on the folder itself. A symbolic link is followed.
class FolderLock {
 public:
  /// @throws IoError if the folder cannot be opened, or another run has it
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileDescriptor descriptor_;
};

}  // namespace summand::io
