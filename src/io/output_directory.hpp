#pragma once

#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "io/file_descriptor.hpp"

namespace summand::io {

/// Another run is writing the same directory now.
class OutputBusyError : public IoError {
 public:
  using IoError::IoError;
};

/// A directory that appears whole or not at all. Its files are written below path(), which is `OUT.part`; commit()
/// renames it. Destroyed without commit(), the part is removed and OUT is as it was.
///
/// While a part is being written it is locked, so that a second run with the same OUT is refused; a part that nobody
/// holds was left by a run that was killed, and is begun anew. A symbolic link to an empty directory is followed.
class OutputDirectory {
 public:
  /// @param out  does not exist, or is an empty directory
  /// @throws OutputBusyError if another run is writing it
  /// @throws IoError if it is something else or cannot be made; or if OUT.part is there and no earlier run left it
  explicit OutputDirectory(const std::filesystem::path& out);
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;
  ~OutputDirectory();

  /// Folder of the files until commit().
  [[nodiscard]] const std::filesystem::path& path() const { return part_; }

  /// Makes a folder below path(), unless it is there.
  /// @param relative  "" is path() itself
  /// @return its path
  /// @throws IoError if it cannot be made
  std::filesystem::path make_folder(const std::filesystem::path& relative) const;

  /// Lets OUT appear. Files are on the disk as far as their writers brought them there.
  /// @throws IoError with the system's reason
  void commit();

 private:
  void refuse_what_is_there() const;
  void take_part();
  void empty_part() const;
  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void fail_with_part(int error_number) const;

  std::filesystem::path out_;     ///< as given, for messages
  std::filesystem::path target_;  ///< absolute, links followed
  std::filesystem::path part_;
  FileDescriptor lock_;  ///< of the part, while it is this object's
};

}  // namespace summand::io
