#include "io/mapped_file.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "base/error.hpp"
#include "io/files.hpp"
#include "support/emulated.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

/// Bytes of files that lie in this process's memory.
size_t resident_file_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stoull(line.substr(8)) * 1024;
  }
  return 0;
}

}  // namespace

TEST_CASE("pages that are given back leave memory, come in again at once, and hold what the file holds" *
          doctest::skip(summand::test::kEmulated)) {
  const TemporaryDirectory directory;
  std::string content(size_t{32} << 20U, 'x');
  for (size_t i = 0; i < content.size(); i += 1000) content[i] = static_cast<char>('a' + i / 1000 % 26);
  write_file(directory.path() / "file", content);
  const auto map = MappedFile::open(directory.path() / "file");
  const size_t before = resident_file_bytes();
  map->bring_in(map->bytes());
  const size_t with_file = resident_file_bytes();
  CHECK(with_file >= before + content.size() * 9 / 10);
  // What lies around the bytes stays.
  map->give_back(map->bytes().subspan(5000, content.size() - 10000));
  CHECK(resident_file_bytes() <= before + content.size() / 10);
  CHECK(map->text() == content);
  map->give_back({});
  map->bring_in({});
  CHECK(map->text() == content);
}

TEST_CASE("bytes that are copied bring no pages in, and an end that went missing is said") {
  constexpr size_t kStep = size_t{2} << 20U;
  const TemporaryDirectory directory;
  std::string content(8 * kStep, 'x');
  for (size_t i = 0; i < 8; ++i) content[i * kStep + kStep - 1] = static_cast<char>('a' + i);
  write_file(directory.path() / "file", content);
  const auto map = MappedFile::open(directory.path() / "file");
  const size_t before = resident_file_bytes();
  for (size_t i = 0; i < 8; ++i) {
    std::string copy(1000, '?');
    map->copy(map->bytes().subspan((i + 1) * kStep - copy.size(), copy.size()),
              reinterpret_cast<std::byte*>(copy.data()));
    CHECK(copy == std::string(999, 'x') + static_cast<char>('a' + i));
  }
  CHECK(resident_file_bytes() <= before + kStep / 2);
  std::filesystem::resize_file(directory.path() / "file", kStep + 10);
  std::string copy(20, '?');
  CHECK_THROWS_WITH_AS(map->copy(map->bytes().subspan(kStep, copy.size()), reinterpret_cast<std::byte*>(copy.data())),
                       doctest::Contains("expected 16777216 bytes, got 2097162"), IoError);
}
