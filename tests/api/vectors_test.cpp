#include "summand/vectors.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "api/vector_files/quantize_vectors.hpp"
#include "api/vector_files/stored_vectors.hpp"
#include "base/error.hpp"
#include "io/npy_writer.hpp"

// That the bytes are those of sentence-transformers and numpy is tested in vectors_against_python.py.

using namespace summand;

namespace {

namespace fs = std::filesystem;

/// A folder of its own, gone at the end.
struct Folder {
  fs::path path;
  explicit Folder(const std::string& name) : path(fs::temp_directory_path() / ("summand-vectors-" + name)) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
};

Matrix<float> matrix(size_t rows, std::initializer_list<float> values) {
  Matrix<float> result(rows, values.size() / rows);
  std::ranges::copy(values, result.elements().begin());
  return result;
}

void write(const fs::path& path, const Matrix<float>& values) {
  io::OutputFile out(path);
  io::NpyWriter writer(out, {.rows = values.rows(), .columns = values.columns()});
  writer.append(values.elements());
  writer.finish();
  out.commit();
}

template <class Call>
std::string vectors_refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<int> bytes(const Matrix<std::byte>& stored) {
  std::vector<int> numbers;
  for (const std::byte byte : stored.elements()) numbers.push_back(static_cast<int8_t>(byte));
  return numbers;
}

const Matrix<float> kVectors = matrix(3, {-1, 0, 5, 254, 63.75, 5, 126.5, 127.5, 5});

}  // namespace

TEST_CASE("the steps of int8 go from the smallest value of a coordinate to its largest") {
  // Steps are 1, 1/2 and, where all values are the same, 1.
  CHECK(bytes(quantize_vectors(kVectors.view(), VectorType::int8)) ==
        std::vector<int>{-128, -128, -128, 127, -1, -128, -1, 127, -128});
  const auto ranges = ranges_of(kVectors.view());
  CHECK(ranges.vectors == 3);
  const auto outside = matrix(1, {-9, 900, 4});
  CHECK(bytes(quantize_vectors(outside.view(), VectorType::int8, ranges)) == std::vector<int>{-128, 127, -128});
}

TEST_CASE("ranges of a matrix of smallest and largest values are these") {
  const auto ranges = ranges_of(kVectors.view());
  Matrix<float> extremes(2, 3);
  std::ranges::copy(ranges.least, extremes.row(0).begin());
  std::ranges::copy(ranges.largest, extremes.row(1).begin());
  const auto again = ranges_of(extremes.view());
  CHECK(again.least == ranges.least);
  CHECK(again.largest == ranges.largest);
}

TEST_CASE("bits say what is above zero, the first coordinate in the highest bit") {
  const auto vectors = matrix(1, {1, 0, -1, 1e-40F, -0.0F, 2, 3, -4, 5});
  CHECK(bytes(quantize_vectors(vectors.view(), VectorType::ubinary)) ==
        std::vector<int>{static_cast<int8_t>(0b10010110), static_cast<int8_t>(0b10000000)});
  CHECK(bytes(quantize_vectors(vectors.view(), VectorType::binary)) == std::vector<int>{0b10010110 - 128, 0});
}

TEST_CASE("numbers of stored vectors are written as what they are") {
  const auto text = [](VectorType type) {
    std::string line;
    const auto stored = quantize_vectors(kVectors.view(), type);
    api::append_numbers(line, stored.row(1), type);
    return line;
  };
  CHECK(text(VectorType::float32) == "254,63.75,5");
  CHECK(text(VectorType::float16) == "254,63.75,5");
  CHECK(text(VectorType::int8) == "127,-1,-128");
  CHECK(text(VectorType::uint8) == "255,127,0");
  CHECK(text(VectorType::binary) == "96");
  CHECK(text(VectorType::ubinary) == "224");
}

TEST_CASE("what is stored is read back as its type allows") {
  const Folder folder("read");
  write(folder.path / "v.npy", kVectors);
  const auto read = [&](VectorType type) {
    const auto out = folder.path / "out.npy";
    (void)convert_vectors(folder.path / "v.npy", out, {.type = type});
    const auto vectors = api::StoredVectors::open(out, {.width = 3});
    std::vector<float> scratch;
    const auto floats = vectors.floats(0, 3, scratch);
    return std::vector<float>(floats.data(), floats.data() + 9);
  };
  const std::vector<float> exact{-1, 0, 5, 254, 63.75, 5, 126.5, 127.5, 5};
  CHECK(read(VectorType::float32) == exact);
  CHECK(read(VectorType::float16) == exact);
  for (const auto type : {VectorType::int8, VectorType::uint8}) {
    // The lower ends of their steps, of 1 from -1 and of 1/2 from 0.
    CHECK(read(type) == std::vector<float>{-1, 0, 5, 254, 63.5, 5, 126, 127.5, 5});
  }
  const std::vector<float> signs{-1, -1, 1, 1, 1, 1, 1, 1, 1};
  CHECK(read(VectorType::binary) == signs);
  CHECK(read(VectorType::ubinary) == signs);
}

TEST_CASE("the ranges lie beside the file that needs them") {
  const Folder folder("ranges");
  const auto from = folder.path / "v.npy";
  const auto out = folder.path / "out.npy";
  write(from, kVectors);
  CHECK(!convert_vectors(from, out, {.type = VectorType::binary}));
  CHECK(!fs::exists(folder.path / "out.npy.ranges.npy"));
  const auto own = convert_vectors(from, out, {.type = VectorType::int8});
  REQUIRE(own.has_value());
  CHECK(own->vectors == 3);
  const auto read = api::read_ranges(folder.path / "out.npy.ranges.npy");
  CHECK(read.least == own->least);
  CHECK(read.largest == own->largest);
  CHECK(api::read_ranges(from).largest == own->largest);
  fs::remove(folder.path / "out.npy.ranges.npy");
  const auto message = vectors_refusal([&] { (void)api::StoredVectors::open(out, {.width = 3}); });
  CHECK(message ==
        "[" + out.string() +
            "] expected out.npy.ranges.npy next to it, the ranges that its int8 numbers are steps of, got no "
            "such file");
}

TEST_CASE("vectors that a type cannot hold are refused, naming the number") {
  const Folder folder("refused");
  const auto from = folder.path / "v.npy";
  const auto out = folder.path / "out.npy";
  const auto one = matrix(1, {1, 2});
  CHECK(vectors_refusal([&] { (void)quantize_vectors(one.view(), VectorType::int8); }) ==
        "[dtype] expected vectors that differ, or --calibration FILE.npy with some that do, since steps go from each "
        "coordinate's least value to its largest; got one vector");
  const auto ranges = ranges_of(kVectors.view());
  CHECK(vectors_refusal([&] { (void)quantize_vectors(one.view(), VectorType::int8, ranges); }) ==
        "[ranges] expected those of 2 coordinates, as the vectors have, got 3");
  CHECK(vectors_refusal([&] { (void)quantize_vectors(one.view(), static_cast<VectorType>(17)); }) ==
        "[dtype] expected a VectorType, got the number 17");
  const auto wide = matrix(2, {1, -3e38F, 1, 3e38F});
  CHECK(vectors_refusal([&] {
          (void)ranges_of(wide.view());
        }).starts_with("[ranges] expected ranges as wide as a float holds"));
  Matrix<float> large(3000, 2);
  large(2500, 1) = 65520;
  write(from, large);
  CHECK(vectors_refusal([&] { (void)convert_vectors(from, out, {.type = VectorType::float16}); }) ==
        "[" + from.string() + "] expected numbers within ±65504 for float16, got 65520 at [2500, 1]");
  large(2500, 1) = std::numeric_limits<float>::quiet_NaN();
  write(from, large);
  const auto two = matrix(2, {1, 2, 3, 4});
  const auto of_two = ranges_of(two.view());
  for (const auto& entry : enum_names(VectorType())) {
    CHECK(vectors_refusal([&] { (void)convert_vectors(from, out, {.type = entry.value}); }) ==
          "[" + from.string() + "] expected finite numbers, got nan at [2500, 1]");
    CHECK(vectors_refusal([&] { (void)quantize_vectors(large.view(), entry.value, of_two); }) ==
          "[vectors] expected finite numbers, got nan at [2500, 1]");
  }
  CHECK(!fs::exists(out));
  CHECK(vectors_refusal([&] { (void)api::StoredVectors::open(from, {.width = 3}); }) ==
        "[" + from.string() + "] expected vectors of 3 numbers, as the queries have, got 2");
}

TEST_CASE("no vectors become none") {
  const Folder folder("none");
  write(folder.path / "v.npy", Matrix<float>(0, 9));
  for (const auto& entry : enum_names(VectorType())) {
    (void)convert_vectors(folder.path / "v.npy", folder.path / "out.npy", {.type = entry.value});
    CHECK(io::map_npy(folder.path / "out.npy").rows == 0);
  }
}
