#include "io/output_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::io {

namespace {

namespace fs = std::filesystem;

/// A marker file in every part: a directory without it belongs to the user and is not emptied.
constexpr const char* kMark = ".summand-part";

/// Without a slash at the end, and with links followed as far as there is something.
fs::path resolved(const fs::path& out) {
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(out, failed);
  const fs::path path = failed ? fs::absolute(out).lexically_normal() : real;
  return path.has_filename() ? path : path.parent_path();
}

bool is_same_directory(int descriptor, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

OutputDirectory::OutputDirectory(const fs::path& out) : out_(out) {
  if (out.empty()) fail("expected a directory's name, got none");
  target_ = resolved(out);
  refuse_what_is_there();
  part_ = target_;
  part_ += ".part";
  take_part();
  empty_part();
  const FileDescriptor mark(::open((part_ / kMark).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!mark.is_open()) fail_with_part(errno);
}

void OutputDirectory::take_part() {
  if (::mkdir(part_.c_str(), 0777) != 0 && errno != EEXIST) {
    if (errno != ENOENT) fail_with_part(errno);
    fail(fmt::format("cannot be written: no directory '{}'", path_text(target_.parent_path())));
  }
  FileDescriptor lock(::open(part_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!lock.is_open()) fail_with_part(errno);
  const bool busy = ::flock(lock.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (busy || !is_same_directory(lock.number(), part_)) {
    throw OutputBusyError(path_text(out_),
                          fmt::format("is being written by another run: '{}' is in use", path_text(part_)));
  }
  lock_ = std::move(lock);
}

void OutputDirectory::empty_part() const {
  std::error_code failed;
  const bool is_left_over = fs::is_empty(part_, failed) || fs::exists(part_ / kMark, failed);
  if (!failed && !is_left_over) {
    fail(fmt::format("expected no '{}' next to it, got one that no earlier run left", path_text(part_)));
  }
  for (const auto& left : fs::directory_iterator(part_, failed)) {
    if (left.path().filename() == kMark) continue;
    fs::remove_all(left.path(), failed);
    if (failed) break;
  }
  if (failed) fail_with_part(failed.value());
}

OutputDirectory::~OutputDirectory() {
  std::error_code ignored;
  if (lock_.is_open() && is_same_directory(lock_.number(), part_)) fs::remove_all(part_, ignored);
}

void OutputDirectory::refuse_what_is_there() const {
  std::error_code failed;
  const fs::file_status status = fs::status(target_, failed);
  if (!fs::exists(status)) return;
  if (status.type() != fs::file_type::directory) fail("expected a new or an empty directory, got a file");
  const bool empty = fs::is_empty(target_, failed);
  if (failed) fail(fmt::format("cannot be read: {}", errno_text(failed.value())));
  if (!empty) fail("expected a new or an empty directory, got one with files in it");
}

fs::path OutputDirectory::make_folder(const fs::path& relative) const {
  fs::path folder = relative.empty() ? part_ : part_ / relative;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) fail(fmt::format("cannot be written: {}", errno_text(failed.value())));
  return folder;
}

void OutputDirectory::commit() {
  if (::fsync(lock_.number()) != 0) fail_with_part(errno);
  if (::rename(part_.c_str(), target_.c_str()) != 0) {
    fail(fmt::format("cannot be written: {}",
                     errno == ENOTEMPTY || errno == EEXIST ? "it is no longer empty" : errno_text(errno)));
  }
  // OUT is complete now. Remove the marker after the rename: a part left by a kill must keep it.
  static_cast<void>(::unlink((target_ / kMark).c_str()));
  // Bringing the new name to the disk is an extra that some file systems do not offer.
  static_cast<void>(lock_.close());
  const FileDescriptor parent(::open(target_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.is_open()) static_cast<void>(::fsync(parent.number()));
}

void OutputDirectory::fail_with_part(int error_number) const {
  fail(fmt::format("cannot be written: '{}': {}", path_text(part_), errno_text(error_number)));
}

void OutputDirectory::fail(std::string_view message) const {
  throw IoError(path_text(out_), message);
}

}  // namespace summand::io
