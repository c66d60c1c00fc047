#include "io/file_stamp.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "io/hashed_pieces.hpp"
#include "io/mapped_file.hpp"

namespace summand::io {

namespace {

int64_t nanoseconds(const struct timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

StampedFile stamped(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw IoError(path_text(path), fmt::format("cannot be read: {}", reason_of(errno)));
  }
  return {path,
          {.bytes = static_cast<uint64_t>(status.st_size),
           .inode = static_cast<uint64_t>(status.st_ino),
           .modified = nanoseconds(status.st_mtim),
           .changed = nanoseconds(status.st_ctim)}};
}

uint64_t hash_of_file(const std::filesystem::path& path, int threads) {
  const auto file = MappedFile::open(path);
  Hash hash;
  for (const uint64_t piece : hashes_of_pieces(*file, file->bytes(), threads, After::give_back)) hash.add_number(piece);
  return hash.value();
}

}  // namespace summand::io
