#include "io/folder_lock.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

TEST_CASE("a folder is one run's at a time, and another's once the lock goes") {
  const TemporaryDirectory directory;
  const auto take = [&] { const FolderLock lock(directory.path()); };
  std::optional<FolderLock> first(directory.path());
  const std::string refused = message_of<IoError>(take);
  CHECK(refused.starts_with("[" + directory.path().string() + "] expected a folder that no other run writes to"));
  const FolderLock moved = std::move(*first);
  first.reset();
  CHECK(message_of<IoError>(take) == refused);
  CHECK(fs::is_empty(directory.path()));  // nothing lies in it for the lock
}

TEST_CASE("a folder is locked behind a link too, and one beside it is not") {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path() / "one");
  fs::create_directory(directory.path() / "other");
  fs::create_directory_symlink("one", directory.path() / "link");
  const FolderLock lock(directory.path() / "one");
  CHECK_FALSE(message_of<IoError>([&] { const FolderLock again(directory.path() / "link"); }).empty());
  const FolderLock other(directory.path() / "other");
}

TEST_CASE("what is no folder cannot be locked") {
  const TemporaryDirectory directory;
  const auto refusal = [&](const char* name) {
    return message_of<IoError>([&] { const FolderLock lock(directory.path() / name); });
  };
  CHECK(refusal("absent").ends_with("cannot be opened: No such file or directory"));
  write_file(directory.path() / "file", "mine");
  CHECK(refusal("file").ends_with("cannot be opened: Not a directory"));
}
