#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/platform.hpp"

namespace summand::io {

namespace {

namespace fs = std::filesystem;

constexpr size_t kBuffer = size_t{1} << 18;

/// The descriptor that a path such as /dev/stdout or /dev/fd/3 names.
std::optional<int> descriptor_named(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = 0;
    const char* end = path.data() + path.size();
    const auto [rest, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && rest == end) return number;
  }
  return std::nullopt;
}

/// The path at the end of a chain of symbolic links; it need not exist.
fs::path follow_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel
  std::error_code ignored;
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, ignored); ++links) {
    const fs::path next = fs::read_symlink(path, ignored);
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

bool is_same_file(int descriptor, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

OutputFile::OutputFile(const fs::path& out) : OutputFile(out, Start()) {}

OutputFile::OutputFile(const fs::path& out, Start start) : out_(out) {
  if (out.empty()) fail("expected a file's name, got none");
  struct stat status {};
  const bool exists = ::stat(out.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail("expected a file to write, got a directory");
  buffer_.reserve(kBuffer);
  if (is_written_through(out)) {
    if (start.keep_bytes > 0) fail("expected a regular file to continue, got a pipe or device");
    open_through();
    return;
  }
  if (exists && ::faccessat(AT_FDCWD, out.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
  target_ = follow_links(out);
  open_part(start);
  if (exists) static_cast<void>(::fchmod(file_.number(), status.st_mode & 07777));  // as good as the file system allows
}

bool OutputFile::is_written_through(const fs::path& out) {
  if (descriptor_named(out.native())) return true;
  struct stat status {};
  return ::stat(out.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

OutputFile::~OutputFile() {
  if (!keeps_part_ && file_.is_open() && can_seek() && is_same_file(file_.number(), part_)) ::unlink(part_.c_str());
}

void OutputFile::open_through() {
  const auto number = descriptor_named(out_.native());
  const int opened = number ? ::fcntl(*number, F_DUPFD_CLOEXEC, 0) : ::open(out_.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0) fail(errno);
  file_ = FileDescriptor(opened);
}

void OutputFile::open_part(Start start) {
  fs::path part = target_;
  part += ".part";
  const bool any = start.keep_bytes == 0 || start.keep_bytes == kAll;
  const int creation = any ? O_CREAT : 0;  // only an existing part can be continued
  FileDescriptor file(::open(part.c_str(), O_RDWR | creation | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (!file.is_open()) {
    const int error_number = errno;
    const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    if (error_number == ENOENT) fail(fmt::format("cannot be written: no directory '{}'", path_text(folder)));
    fail(fmt::format("cannot be written: '{}': {}", path_text(part), errno_text(error_number)));
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) fail(fmt::format("expected no '{}', got a pipe or device", path_text(part)));
  const bool busy = ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (busy || !is_same_file(file.number(), part)) {
    fail(fmt::format("is being written by another run: '{}' is in use", path_text(part)));
  }
  const auto bytes = static_cast<uint64_t>(status.st_size);
  if (!any && bytes < start.keep_bytes) {
    fail(fmt::format("expected {} bytes to continue in '{}', got {}", start.keep_bytes, path_text(part), bytes));
  }
  position_ = bytes;
  file_ = std::move(file);
  part_ = std::move(part);
  if (start.keep_bytes == kAll && bytes > 0) {
    keeps_part_ = true;
  } else {
    cut_back(start.keep_bytes == kAll ? 0 : start.keep_bytes);
  }
}

void OutputFile::cut_back(uint64_t bytes) {
  flush();
  if (::ftruncate(file_.number(), static_cast<off_t>(bytes)) != 0) fail(errno);
  position_ = bytes;
  if (bytes > 0) return;
  keeps_part_ = false;
  removed_when_interrupted_.emplace(part_.c_str());
}

void OutputFile::keep_part() {
  keeps_part_ = true;
  removed_when_interrupted_.reset();
}

void OutputFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() >= kBuffer) {
    write_through(bytes, position_);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  position_ += bytes.size();
}

void OutputFile::write_at(uint64_t offset, std::span<const std::byte> bytes) {
  if (!can_seek()) fail("expected a regular file, since parts are written out of order, got a pipe or device");
  flush();
  write_through(bytes, offset);
}

void OutputFile::flush() {
  write_through(buffer_, position_ - buffer_.size());
  buffer_.clear();
}

void OutputFile::write_through(std::span<const std::byte> bytes, uint64_t offset) {
  if (!file_.is_open()) fail("is closed: nothing may be written after commit");
  while (!bytes.empty()) {
    const ssize_t written = can_seek()
                                ? ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset))
                                : ::write(file_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
}

void OutputFile::bring_to_disk() {
  flush();
  if (can_seek() && summand::bring_to_disk(file_.number()) != 0) fail(errno);
}

void OutputFile::commit() {
  flush();
  if (!can_seek()) {
    if (file_.close() != 0) fail(errno);
    return;
  }
  if (::fsync(file_.number()) != 0) fail(errno);
  appear(part_);
}

void OutputFile::commit_as(const fs::path& made) {
  appear(made);
  std::error_code ignored;
  fs::remove(part_, ignored);
}

void OutputFile::appear(const fs::path& made) {
  removed_when_interrupted_.reset();
  if (::rename(made.c_str(), target_.c_str()) != 0) fail(errno);
  // From here OUT is whole. Bringing the new name to the disk is an extra that some file systems do not offer.
  static_cast<void>(file_.close());
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const FileDescriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) static_cast<void>(::fsync(directory.number()));
}

void OutputFile::fail(int error_number) const {
  fail(fmt::format("cannot be written: {}", errno_text(error_number)));
}

void OutputFile::fail(std::string_view message) const {
  throw IoError(path_text(out_), message);
}

}  // namespace summand::io
