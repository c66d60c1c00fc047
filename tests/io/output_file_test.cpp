#include "io/output_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/error.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

/// How many entries a directory has: no part may be left behind.
size_t entries(const fs::path& directory) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

std::string refusal(const fs::path& out) {
  return message_of<IoError>([&] {
    OutputFile file(out);
    file.write(std::string(10, 'x'));
    file.commit();
  });
}

/// No file of this process may grow beyond a limit, as if the disk were full there.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a file appears whole at commit, and not before") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  std::string expected;
  {
    OutputFile file(out);
    for (size_t length : {1, 1000, 300000, 0, 7, 262144, 5}) {
      file.write(std::string(length, static_cast<char>('a' + length % 26)));
      expected += std::string(length, static_cast<char>('a' + length % 26));
      CHECK(file.position() == expected.size());
      CHECK_FALSE(fs::exists(out));
    }
    file.write_at(2, std::as_bytes(std::span(std::string_view("PATCH"))));
    expected.replace(2, 5, "PATCH");
    file.commit();
    CHECK(read_file(out) == expected);
    CHECK_THROWS_AS((file.write("x"), file.commit()), IoError);
  }
  CHECK(read_file(out) == expected);
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("without commit the old file is as it was and nothing is left behind") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  write_file(out, "old");
  {
    OutputFile file(out);
    file.write(std::string(1000000, 'x'));
    CHECK(entries(directory.path()) == 2);
  }
  CHECK(read_file(out) == "old");
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("a file that is replaced keeps its permissions") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  write_file(out, "old");
  fs::permissions(out, fs::perms::owner_read | fs::perms::owner_write);
  CHECK(refusal(out).empty());
  CHECK(fs::status(out).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a place that cannot be written is refused with the reason") {
  const TemporaryDirectory directory;
  const std::string at = directory.path().string();
  CHECK(refusal(at) == "[" + at + "] expected a file to write, got a directory");
  CHECK(refusal(at + "/gone/out") == "[" + at + "/gone/out] cannot be written: no directory '" + at + "/gone'");
  CHECK(refusal("") == "[] expected a file's name, got none");
  write_file(directory.path() / "file", "x");
  CHECK(refusal(at + "/file/out") ==
        "[" + at + "/file/out] cannot be written: '" + at + "/file/out.part': Not a directory");
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("a file or directory without the right to write is refused with the reason") {
  const Unprivileged user;
  const TemporaryDirectory directory;
  const std::string at = directory.path().string();
  write_file(directory.path() / "file", "x");
  fs::permissions(directory.path() / "file", fs::perms::owner_read);
  CHECK(refusal(at + "/file") == "[" + at + "/file] cannot be written: Permission denied");
  fs::permissions(at, fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(refusal(at + "/out") == "[" + at + "/out] cannot be written: '" + at + "/out.part': Permission denied");
  fs::permissions(at, fs::perms::owner_all);
}

TEST_CASE("two runs cannot write one file, and a killed run's part is begun anew") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  {
    OutputFile first(out);
    first.write("first");
    CHECK(refusal(out) ==
          "[" + out.string() + "] is being written by another run: '" + out.string() + ".part' is in use");
    first.commit();
  }
  CHECK(read_file(out) == "first");
  write_file(out.string() + ".part", "left over, and longer than what comes");
  CHECK(refusal(out).empty());
  CHECK(read_file(out) == "xxxxxxxxxx");
  CHECK(entries(directory.path()) == 1);
  fs::create_symlink(out, out.string() + ".part");
  CHECK(refusal(out).starts_with("[" + out.string() + "] cannot be written: '" + out.string() + ".part': "));
  CHECK(read_file(out) == "xxxxxxxxxx");
}

TEST_CASE("a full disk is one line, and the old file is as it was") {
  CHECK(refusal("/dev/full") == "[/dev/full] cannot be written: No space left on device");
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  write_file(out, "old");
  {
    const FileSizeLimit limit(400000);
    OutputFile file(out);
    CHECK(message_of<IoError>([&] {
            for (int i = 0; i < 100; ++i) file.write(std::string(10000, 'x'));
            file.commit();
          }) == "[" + out.string() + "] cannot be written: File too large");
  }
  {
    const FileSizeLimit limit(5);
    CHECK(refusal(out) == "[" + out.string() + "] cannot be written: File too large");
  }
  CHECK(read_file(out) == "old");
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("symbolic links are followed and stay") {
  const TemporaryDirectory directory;
  const fs::path& at = directory.path();
  write_file(at / "real" / "file", "old");
  fs::create_symlink("real/file", at / "link");
  fs::create_symlink(at / "link", at / "link-to-link");
  fs::create_symlink("real/new", at / "dangling");
  CHECK(refusal(at / "link-to-link").empty());
  CHECK(refusal(at / "dangling").empty());
  CHECK(fs::is_symlink(at / "link-to-link"));
  CHECK(fs::is_symlink(at / "dangling"));
  CHECK(read_file(at / "real" / "file") == "xxxxxxxxxx");
  CHECK(read_file(at / "real" / "new") == "xxxxxxxxxx");
  CHECK(entries(at / "real") == 2);
}

TEST_CASE("pipes, devices and descriptors are written straight through") {
  CHECK(refusal("/dev/null").empty());
  CHECK(fs::is_character_file("/dev/null"));
  const TemporaryDirectory directory;
  const fs::path pipe = directory.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::string received;
  std::thread reader([&] { received = read_file(pipe); });
  CHECK(refusal(pipe).empty());
  reader.join();
  CHECK(received == "xxxxxxxxxx");
  CHECK(fs::is_fifo(pipe));

  const fs::path log = directory.path() / "log";
  const int descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(::write(descriptor, "before ", 7) == 7);
  CHECK(refusal("/dev/fd/" + std::to_string(descriptor)).empty());
  REQUIRE(::write(descriptor, " after", 6) == 6);
  ::close(descriptor);
  CHECK(read_file(log) == "before xxxxxxxxxx after");
  CHECK(refusal("/dev/fd/999") == "[/dev/fd/999] cannot be written: Bad file descriptor");

  OutputFile null("/dev/null");
  CHECK_THROWS_WITH_AS(
      null.write_at(0, {}),
      "[/dev/null] expected a regular file, since parts are written out of order, got a pipe or device", IoError);
}

TEST_CASE("a part that was kept is continued where the later run says, and what lies behind is dropped") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  {
    OutputFile file(out);
    file.write("finished, ");
    file.bring_to_disk();
    CHECK(read_file(directory.path() / "out.part") == "finished, ");
    file.keep_part();
    file.write("half done");
  }
  CHECK_FALSE(fs::exists(out));
  REQUIRE(fs::exists(directory.path() / "out.part"));
  {
    OutputFile file(out, {.keep_bytes = 10});
    CHECK(file.position() == 10);
    file.write("continued");
    file.commit();
  }
  CHECK(read_file(out) == "finished, continued");
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("nothing can be continued that is not there, and trying leaves nothing behind") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  CHECK_THROWS_AS(OutputFile(out, OutputFile::Start{.keep_bytes = 1}), IoError);
  CHECK(entries(directory.path()) == 0);
  write_file(directory.path() / "out.part", "abc");
  CHECK_THROWS_AS(OutputFile(out, OutputFile::Start{.keep_bytes = 4}), IoError);
  CHECK(read_file(directory.path() / "out.part") == "abc");
  CHECK_THROWS_AS(OutputFile("/dev/null", OutputFile::Start{.keep_bytes = 1}), IoError);
}

TEST_CASE("all that an earlier run left is there until it is cut back, and goes if it is cut back to nothing") {
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  const OutputFile::Start all{.keep_bytes = OutputFile::kAll};
  { CHECK(OutputFile(out, all).position() == 0); }  // there was nothing
  CHECK(entries(directory.path()) == 0);
  write_file(out.string() + ".part", "finished, half done");
  {
    const OutputFile file(out, all);
    CHECK(file.position() == 19);
    CHECK(refusal(out).find("is being written by another run") != std::string::npos);
  }
  CHECK(read_file(out.string() + ".part") == "finished, half done");
  {
    OutputFile file(out, all);
    file.cut_back(10);
    file.write("continued");
    file.bring_to_disk();
    CHECK(read_file(file.part()) == "finished, continued");
  }
  {
    OutputFile file(out, all);
    file.cut_back(0);
    file.write("x");
    CHECK(file.position() == 1);
  }
  CHECK(entries(directory.path()) == 0);
}

TEST_CASE("what is written straight through is known beforehand") {
  const TemporaryDirectory directory;
  write_file(directory.path() / "file", "x");
  const fs::path pipe = directory.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const fs::path& path : {fs::path("/dev/stdout"), fs::path("/dev/null"), fs::path("/dev/fd/7"), pipe}) {
    CHECK(OutputFile::is_written_through(path));
  }
  for (const char* name : {"file", "new", "missing/new", ""}) {
    CHECK_FALSE(OutputFile::is_written_through(directory.path() / name));
  }
}
