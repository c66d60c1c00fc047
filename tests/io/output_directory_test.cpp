#include "io/output_directory.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

size_t entries(const fs::path& directory) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

/// The message with which a directory is refused; what is there stays.
std::string refusal(const fs::path& out) {
  return message_of<IoError>([&] { OutputDirectory directory(out); });
}

void write_into(const fs::path& out) {
  OutputDirectory directory(out);
  write_file(directory.path() / "a", "one");
  write_file(directory.make_folder("sub/folder") / "b", "two");
  directory.commit();
}

}  // namespace

TEST_CASE("a directory appears whole at commit, and not before") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  {
    OutputDirectory writing(out);
    write_file(writing.path() / "a", "one");
    CHECK(writing.make_folder("") == writing.path());
    CHECK_FALSE(fs::exists(out));
    writing.commit();
  }
  CHECK(read_file(out / "a") == "one");
  CHECK(entries(out) == 1);
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("without commit a directory leaves nothing") {
  const TemporaryDirectory directory;
  {
    OutputDirectory writing(directory.path() / "out");
    write_file(writing.make_folder("sub") / "a", "one");
  }
  CHECK(entries(directory.path()) == 0);
}

TEST_CASE("an empty directory is filled, and so is one behind a link or named with a slash") {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path() / "real");
  fs::create_directory_symlink("real", directory.path() / "link");
  write_into(directory.path() / "link");
  CHECK(fs::is_symlink(directory.path() / "link"));
  CHECK(read_file(directory.path() / "real" / "sub" / "folder" / "b") == "two");
  write_into(directory.path() / "slash" / "");
  CHECK(read_file(directory.path() / "slash" / "a") == "one");
  CHECK(entries(directory.path()) == 3);
}

TEST_CASE("what is there already is refused and stays") {
  const TemporaryDirectory directory;
  const std::string place = directory.path().string();
  write_file(directory.path() / "full" / "mine", "x");
  write_file(directory.path() / "file", "x");
  CHECK(refusal(directory.path() / "full") ==
        "[" + place + "/full] expected a new or an empty directory, got one with files in it");
  CHECK(refusal(directory.path() / "file") == "[" + place + "/file] expected a new or an empty directory, got a file");
  CHECK(refusal(directory.path() / "no" / "out") ==
        "[" + place + "/no/out] cannot be written: no directory '" + place + "/no'");
  CHECK(refusal("") == "[] expected a directory's name, got none");
  CHECK(read_file(directory.path() / "full" / "mine") == "x");
  CHECK(entries(directory.path()) == 2);
}

TEST_CASE("a part that a killed run left is begun anew, one of somebody's own is not touched") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  const fs::path part = directory.path() / "out.part";
  write_file(part / "mine", "x");
  CHECK(refusal(out) ==
        "[" + out.string() + "] expected no '" + part.string() + "' next to it, got one that no earlier run left");
  CHECK(read_file(part / "mine") == "x");
  fs::remove_all(part);
  fs::path mark;
  {
    const OutputDirectory writing(out);
    mark = fs::directory_iterator(writing.path())->path().filename();
  }
  write_file(part / mark, "");
  write_file(part / "sub" / "left", "x");
  write_into(out);
  CHECK(entries(out) == 2);
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("a kill leaves a part that the next run takes, however far it had come") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  fs::path mark;
  {
    OutputDirectory writing(out);
    mark = fs::directory_iterator(writing.path())->path().filename();
    write_file(writing.path() / "a", "one");
    write_file(out / "mine", "x");
    CHECK_THROWS_AS(writing.commit(), IoError);
    CHECK(fs::exists(writing.path() / mark));  // until the rename it is a run's
    fs::remove_all(out);
    writing.commit();
  }
  CHECK_FALSE(fs::exists(out / mark));
  CHECK(entries(out) == 1);
}

TEST_CASE("two runs do not write one directory at a time") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  OutputDirectory first(out);
  write_file(first.path() / "a", "one");
  CHECK_THROWS_AS((OutputDirectory{out}), OutputBusyError);
  CHECK(refusal(out) ==
        "[" + out.string() + "] is being written by another run: '" + out.string() + ".part' is in use");
  first.commit();
  CHECK(read_file(out / "a") == "one");
}

TEST_CASE("a directory that was filled meanwhile is left alone") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  {
    OutputDirectory writing(out);
    write_file(out / "mine", "x");
    CHECK(message_of<IoError>([&] { writing.commit(); }) ==
          "[" + out.string() + "] cannot be written: it is no longer empty");
  }
  CHECK(read_file(out / "mine") == "x");
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("a folder that may not be written is refused with the system's reason") {
  const Unprivileged unprivileged;
  const TemporaryDirectory directory;
  fs::permissions(directory.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const std::string out = (directory.path() / "out").string();
  CHECK(refusal(out) == "[" + out + "] cannot be written: '" + out + ".part': Permission denied");
  fs::permissions(directory.path(), fs::perms::owner_all);
}
