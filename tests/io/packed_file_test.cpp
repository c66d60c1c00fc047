#include "io/packed_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/file_stamp.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

/// Pieces of some sizes: none, one byte, less and more than a cache line, and more than are hashed together.
class Pieces {
 public:
  explicit Pieces(size_t large = kHashedPiece + 1000) {
    std::mt19937 random(3);
    for (const size_t size : {size_t{0}, size_t{1}, size_t{64}, size_t{100}, large}) {
      auto& bytes = bytes_.emplace_back(size);
      for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    }
    for (size_t i = 0; i < bytes_.size(); ++i) named_.emplace("piece " + std::to_string(i), bytes_[i]);
  }
  [[nodiscard]] const NamedPieces& named() const { return named_; }

 private:
  std::vector<std::vector<std::byte>> bytes_;
  NamedPieces named_;
};

PackedOrigin some_origin() {
  return {
      .settings = {{"format", "1"}, {"odd \"name\"", "\xC3\xA9\n"}},
      .sources = {{.name = "a", .content = {.bytes = UINT64_MAX, .hash = UINT64_MAX}}, {.name = "b", .content = {}}}};
}

std::string refusal(const fs::path& path) {
  try {
    PackedFile::open(path).check(2);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("packed weights are read back as they were written, each piece from a cache line on") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "x.packed";
  const Pieces pieces;
  write_packed_file(path, some_origin(), pieces.named());
  const auto file = PackedFile::open(path);
  file.check(3);
  CHECK(file.origin() == some_origin());
  REQUIRE(file.pieces().size() == pieces.named().size());
  for (const auto& [name, bytes] : pieces.named()) {
    CAPTURE(name);
    const auto found = file.pieces().find(name)->second;
    CHECK(std::ranges::equal(found, bytes));
    CHECK(reinterpret_cast<std::uintptr_t>(found.data()) % kPackedAlignment == 0);
  }
  write_packed_file(path, {{{"format", "2"}}, {some_origin().sources.front()}}, pieces.named());  // in its place
  CHECK(PackedFile::open(path).origin().settings.at("format") == "2");
  CHECK(file.origin() == some_origin());
  file.check(1);
}

TEST_CASE("a file of packed weights that is damaged anywhere is refused") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "x.packed";
  write_packed_file(path, some_origin(), Pieces(300).named());
  const std::string whole = read_file(path);
  REQUIRE(refusal(path) == "accepted");
  const size_t header_end = 32 + static_cast<unsigned char>(whole[16]) + 256 * static_cast<unsigned char>(whole[17]);
  REQUIRE(header_end < 4096);
  for (size_t at = 0; at < whole.size(); ++at) {
    if (at == header_end) at = 4096;  // what lies between is never read
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    write_file(path, damaged);
    CAPTURE(at);
    const auto message = refusal(path);
    CHECK(message.starts_with("[" + path.string() + "] "));
    CHECK((at < 16) == message.ends_with("expected a file of packed weights, got another"));
  }
  for (size_t length = 1; length < whole.size(); length += 7) {
    write_file(path, whole.substr(0, length));
    CAPTURE(length);
    CHECK(refusal(path) != "accepted");
  }
  write_file(path, whole + '\0');
  CHECK(refusal(path).find("damaged") != std::string::npos);
  write_file(path, "");
  CHECK(refusal(path) != "accepted");
  CHECK(refusal(directory.path()) != "accepted");
  CHECK(refusal(directory.path() / "none").find("No such file") != std::string::npos);
}

TEST_CASE("damage is told by its place, in whichever piece it lies") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "x.packed";
  const Pieces pieces(3 * kHashedPiece);
  write_packed_file(path, some_origin(), pieces.named());
  std::string damaged = read_file(path);
  damaged[4096 + 2 * kHashedPiece + 5] ^= 1;
  write_file(path, damaged);
  CHECK(refusal(path).ends_with("the 2097152 bytes from 4194304 on have another hash than they had"));
}

TEST_CASE("a stamp tells a file that was written to, and a hash its contents, with any number of threads") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "weights";
  std::string content(3 * kHashedPiece + 17, 'x');
  write_file(path, content);
  const auto before = file_stamp(path);
  const auto hash = content_hash(path, 1);
  CHECK(hash.bytes == content.size());
  CHECK(before.bytes == content.size());
  CHECK(file_stamp(path) == before);
  CHECK(content_hash(path, 4) == hash);
  for (const size_t at : {size_t{0}, kHashedPiece - 1, kHashedPiece, content.size() - 1}) {
    std::string other = content;
    other[at] = 'y';
    const auto time = fs::last_write_time(path);
    write_file(path, other);
    fs::last_write_time(path, time);  // whoever sets the time back does not set the time of change
    CHECK(file_stamp(path).modified == before.modified);
    CHECK(file_stamp(path) != before);
    CHECK(content_hash(path, 4) != hash);
  }
  write_file(path, content + 'x');
  CHECK(content_hash(path, 2) != hash);
  for (const int64_t seconds : {int64_t{-100}, int64_t{1} << 40U}) {  // before 1970, and beyond what nanoseconds hold
    const struct timespec times[2]{{seconds, 1}, {seconds, 1}};
    if (::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0) CHECK(file_stamp(path) != before);
  }
  CHECK_THROWS_AS((void)file_stamp(directory.path() / "none"), IoError);
  CHECK_THROWS_AS((void)content_hash(directory.path() / "none", 1), IoError);
}

TEST_CASE("packed weights are not written into what is no file, and nobody waits for a reader there") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "x.packed";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK_THROWS_AS(write_packed_file(path, some_origin(), {}), IoError);
  CHECK_THROWS_AS((void)is_packed_file(path), IoError);
  CHECK(fs::is_fifo(path));
}
