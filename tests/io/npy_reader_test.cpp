#include "io/npy_reader.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0', static_cast<char>(header.size()), '\0'};
  if (version > 1) bytes += std::string(2, '\0');
  return bytes + header + data;
}

std::string header(const std::string& type, const std::string& order = "False", const std::string& shape = "(2, 3)") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }          \n";
}

template <class Number>
std::string stored(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

std::vector<double> read(const fs::path& path) {
  const auto matrix = read_npy(path);
  REQUIRE(matrix.rows() == 2);
  REQUIRE(matrix.columns() == 3);
  return {matrix.elements().begin(), matrix.elements().end()};
}

}  // namespace

TEST_CASE("a NumPy matrix of half, single and double precision is read in either order") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "table.npy";
  const std::vector<double> expected{0.5, 1, -2, 3, 4, 65504};
  const std::string floats = stored<float>({0.5, 1, -2, 3, 4, 65504});
  write_file(path, npy(header("<f4"), floats));
  CHECK(read(path) == expected);
  write_file(path, npy(header("<f4"), floats, 3));
  CHECK(read(path) == expected);
  write_file(path, npy(header("<f4", "False", "(1, 1, 2, 3)"), floats));
  CHECK(read(path) == expected);
  write_file(path, npy(header("<f8"), stored<double>(expected)));
  CHECK(read(path) == expected);
  write_file(path, npy(header("<f2"), stored<uint16_t>({0x3800, 0x3C00, 0xC000, 0x4200, 0x4400, 0x7BFF})));
  CHECK(read(path) == expected);
  write_file(path, npy(header("<f4", "True"), stored<float>({0.5, 3, 1, 4, -2, 65504})));
  CHECK(read(path) == expected);
}

TEST_CASE("what is no matrix of finite numbers is refused in one line") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "table.npy";
  const std::string floats = stored<float>({0, 1, 2, 3, 4, 5});
  const auto refusal = [&](const std::string& bytes) {
    write_file(path, bytes);
    try {
      (void)read_npy(path);
    } catch (const ConfigError& error) {
      return std::string(error.what()).substr(path.string().size() + 3);
    }
    return std::string("accepted");
  };
  CHECK(refusal("PK") == "expected a NumPy file, got another kind of file");
  CHECK(refusal(npy(header("<f4"), floats, 4)) == "expected a NumPy file, got one of version 4");
  CHECK(refusal(npy(header("<f4"), floats).substr(0, 30)) ==
        "expected a NumPy file, got a file that ends in its header");
  CHECK(refusal(npy(header(">f4"), floats)) == "expected numbers of type <f2, <f4 or <f8, got '>f4'");
  CHECK(refusal(npy(header("<f4", "False", "(6,)"), floats)) ==
        "expected a matrix, [rows, columns], behind dimensions of 1, got 1 dimension");
  CHECK(refusal(npy(header("<f4", "False", "(2, 1, 3)"), floats)) ==
        "expected a matrix, [rows, columns], behind dimensions of 1, got 3 dimensions");
  CHECK(refusal(npy(header("<f4", "False", "(0, 3)"), "")) == "expected a matrix with elements, got [0, 3]");
  CHECK(refusal(npy(header("<f4"), floats + "x")) == "expected the data of [2, 3] numbers of 4 bytes, got 25 bytes");
  CHECK(refusal(npy(header("<f4", "False", "(461168601842738, 40000)"), floats))
            .starts_with("expected the data of [461168601842738, 40000] numbers"));
  CHECK(refusal(npy(header("<f4", "False", "(1111111111111111, 1)"), floats)) ==
        "expected a size, got a number of more than 15 digits");
  CHECK(refusal(npy(header("<f4"), stored<float>({0, 1, 2, 3, std::numeric_limits<float>::infinity(), 5}))) ==
        "expected finite numbers, got inf at [1, 1]");
  CHECK(refusal(npy("{'descr': '<f4', 'shape': (2, 3)}", floats)) ==
        "expected a header of descr, fortran_order and shape, got another");
  CHECK(refusal(npy("{'descr': '<f4', 'descr': '<f4'}", floats)) ==
        "expected the keys descr, fortran_order and shape once, got 'descr'");
}

TEST_CASE("a git-lfs pointer is no NumPy file, and is said for what it is") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "vectors.npy";
  write_file(path, "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 466247\n");
  CHECK(message_of<IoError>([&] { (void)read_npy(path); }).ends_with("run 'git lfs pull' in its folder"));
  CHECK(message_of<IoError>([&] { (void)map_npy(path); }).ends_with("run 'git lfs pull' in its folder"));
}

TEST_CASE("a NumPy matrix of any numbers is found where it lies") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "vectors.npy";
  const std::string bytes = "abcdef";
  for (const std::string type : {"|i1", "|u1"}) {
    write_file(path, npy(header(type), bytes));
    const auto rows = map_npy(path);
    CHECK(model::name_of(rows.type) == type);
    CHECK(rows.rows == 2);
    CHECK(rows.columns == 3);
    CHECK(std::string(reinterpret_cast<const char*>(rows.bytes.data()), rows.bytes.size()) == bytes);
    CHECK(message_of<ConfigError>([&] { (void)read_npy(path); }).ends_with("<f2, <f4 or <f8, got '" + type + "'"));
  }
  write_file(path, npy(header("<f4", "False", "(0, 3)"), ""));
  CHECK(map_npy(path).rows == 0);
  write_file(path, npy(header("<f4", "True"), stored<float>({0, 1, 2, 3, 4, 5})));
  CHECK(message_of<ConfigError>([&] { (void)map_npy(path); }).ends_with("(fortran_order False), got columns"));
  write_file(path, npy(header("<i2"), bytes + bytes));
  CHECK(message_of<ConfigError>([&] { (void)map_npy(path); }).ends_with("<f8, |i1 or |u1, got '<i2'"));
}
