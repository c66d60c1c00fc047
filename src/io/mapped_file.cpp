#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/file_descriptor.hpp"

namespace summand::io {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error_number) {
  throw IoError(path_text(path), fmt::format("cannot be read: {}", reason_of(error_number)));
}

void require_regular(const std::filesystem::path& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) throw IoError(path_text(path), "expected a file, got a directory");
  if (!S_ISREG(status.st_mode)) throw IoError(path_text(path), "expected a regular file, got a pipe or device");
  if (status.st_size == 0) throw IoError(path_text(path), "expected a file with content, got an empty one");
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; it has no effect on regular files.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) fail(path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(path, errno);
  require_regular(path, status);
  const auto size = static_cast<size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) fail(path, errno);
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(address), size}));
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace summand::io
