#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/file_descriptor.hpp"

namespace summand::io {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error_number) {
  throw IoError(path_text(path), fmt::format("cannot be read: {}", errno_text(error_number)));
}

void require_regular(const std::filesystem::path& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) throw IoError(path_text(path), "expected a file, got a directory");
  if (!S_ISREG(status.st_mode)) throw IoError(path_text(path), "expected a regular file, got a pipe or device");
  if (status.st_size == 0) throw IoError(path_text(path), "expected a file with content, got an empty one");
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; it has no effect on regular files.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) fail(path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail(path, errno);
  require_regular(path, status);
  const auto size = static_cast<size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) fail(path, errno);
  const std::span bytes(static_cast<const std::byte*>(address), size);
  return std::shared_ptr<const MappedFile>(new MappedFile(path, std::move(file), bytes));
}

namespace {

enum class Whole { covering, inside };

/// @param which  pages that cover the bytes, or only pages entirely inside them
void advise(std::span<const std::byte> bytes, int advice, Whole which) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t last = first + bytes.size();
  const std::uintptr_t more = which == Whole::inside ? page - 1 : 0;
  const std::uintptr_t begin = (first + more) / page * page;
  const std::uintptr_t end = which == Whole::inside ? last / page * page : last;
  if (begin < end) static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, advice));
}

}  // namespace

void MappedFile::bring_in(std::span<const std::byte> bytes) const noexcept {
#ifdef MADV_POPULATE_READ
  advise(bytes, MADV_POPULATE_READ, Whole::covering);
#else
  advise(bytes, MADV_WILLNEED, Whole::covering);
#endif
}

void MappedFile::give_back(std::span<const std::byte> bytes) const noexcept {
  advise(bytes, MADV_DONTNEED, Whole::inside);
}

void MappedFile::copy(std::span<const std::byte> from, std::byte* to) const {
  auto at = static_cast<off_t>(from.data() - bytes_.data());
  for (size_t left = from.size(); left > 0;) {
    const ssize_t got = ::pread(file_.number(), to, left, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, errno);
    if (got == 0) throw IoError(path_text(path_), fmt::format("expected {} bytes, got {}", bytes_.size(), at));
    to += got;
    at += got;
    left -= static_cast<size_t>(got);
  }
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace summand::io
