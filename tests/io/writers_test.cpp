#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "io/files.hpp"
#include "io/npy_reader.hpp"
#include "io/npy_writer.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_writer.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

std::string usage(const std::function<void()>& call) {
  return message_of<UsageError>(call);
}

}  // namespace

TEST_CASE("what is written is read back, in every element type") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "x.safetensors";
  const std::string bytes = "0123456789abcdefghijklmnopqrstuv";
  model::Weights tensors;
  for (const auto& entry : model::enum_names(model::DType{})) {
    const auto data = std::as_bytes(std::span(bytes)).first(3 * model::size_of(entry.value));
    tensors.set("tensor \"" + std::string(entry.name) + "\" é", {entry.value, {3, 1}, data, nullptr});
  }
  tensors.set("empty", {model::DType::f32, {0, 4}, {}, nullptr});
  tensors.set("scalar", {model::DType::i64, {}, std::as_bytes(std::span(bytes)).first(8), nullptr});
  write_safetensors(path, tensors, {{"format", "pt"}, {"line\nend", "\"\\"}});
  const SafetensorsFile file = read_safetensors(path);
  REQUIRE(file.tensors.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const auto& read = file.tensors.at(name);
    CHECK(model::describe(read) == model::describe(tensor));
    CHECK(std::ranges::equal(read.bytes, tensor.bytes));
    CHECK(reinterpret_cast<std::uintptr_t>(read.bytes.data()) % model::size_of(read.dtype) == 0);
  }
  CHECK(file.metadata == Metadata{{"format", "pt"}, {"line\nend", "\"\\"}});
}

TEST_CASE("tensors may grow side by side") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "x.safetensors";
  OutputFile out(path);
  SafetensorsWriter writer(out, {{"a", model::DType::f32, {4, 2}}, {"b", model::DType::f32, {4, 1}}});
  for (size_t row = 0; row < 4; ++row) {
    const auto value = static_cast<float>(row);
    const std::vector<float> both{value, -value};
    writer.append(0, std::span<const float>(both));
    writer.append(1, std::span<const float>(both).first(1));
  }
  writer.finish();
  out.commit();
  const SafetensorsFile file = read_safetensors(path);
  CHECK(model::to_floats(file.tensors.at("a")) == std::vector<float>{0, 0, 1, -1, 2, -2, 3, -3});
  CHECK(model::to_floats(file.tensors.at("b")) == std::vector<float>{0, 1, 2, 3});
}

TEST_CASE("a safetensors file that would be wrong is refused") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "x";
  OutputFile out(path);
  CHECK(usage([&] {
          SafetensorsWriter(out, {{"a", {}, {1}}, {"a", {}, {1}}});
        }) == "[safetensors] expected each name once, got 'a' twice");
  CHECK(usage([&] {
          SafetensorsWriter(out, {{"__metadata__", {}, {1}}});
        }) == "[safetensors] expected a tensor's name, got '__metadata__'");
  CHECK(usage([&] {
          SafetensorsWriter(out, {{"\xff", {}, {1}}});
        }) == "[safetensors] expected names and metadata in UTF-8, got other bytes");
  SafetensorsWriter writer(out, {{"a", model::DType::f32, {2}}});
  const std::vector<float> values(3);
  CHECK(usage([&] { writer.finish(); }) == "[" + path.string() + "] 'a': expected 8 more bytes, got none");
  CHECK(usage([&] { writer.append(0, std::span<const float>(values)); }) ==
        "[" + path.string() + "] 'a': expected at most 8 more bytes, got 12");
}

TEST_CASE("a NumPy file has the bytes of the format") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "x.npy";
  for (const bool known : {true, false}) {
    OutputFile out(path);
    NpyWriter writer(out, {.rows = known ? std::optional<size_t>(2) : std::nullopt, .columns = 3});
    writer.append(std::vector<float>{1, 2, 3});
    writer.append(std::vector<float>{4, 5, 6});
    writer.finish();
    out.commit();
    const std::string bytes = read_file(path);
    REQUIRE(bytes.size() == 128 + 24);
    CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\0\x76\0", 10));
    CHECK(bytes.substr(10, 60).starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } "));
    CHECK(bytes[127] == '\n');
  }
}

TEST_CASE("rows that are not whole or not as many as stated are refused") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "x.npy";
  OutputFile out(path);
  NpyWriter writer(out, {.rows = 2, .columns = 3});
  CHECK(usage([&] { writer.append(std::vector<float>(4)); }) ==
        "[" + path.string() + "] expected rows of 3 numbers, got 4");
  writer.append(std::vector<float>(3));
  CHECK(usage([&] { writer.finish(); }) == "[" + path.string() + "] expected 2 rows, got 1");
  OutputFile null("/dev/null");
  CHECK(usage([&] { NpyWriter(null, {.rows = {}, .columns = 1}); }) ==
        "[/dev/null] expected a regular file, since the rows are not counted yet, got a pipe");
}

TEST_CASE("a NumPy file that is continued counts the rows of the earlier run") {
  const TemporaryDirectory directory;
  const fs::path whole = directory.path() / "whole.npy";
  const fs::path continued = directory.path() / "continued.npy";
  const std::vector<float> rows{1, 2, 3, 4, 5, 6};
  {
    OutputFile file(whole);
    NpyWriter writer(file, {.rows = std::nullopt, .columns = 2});
    writer.append(rows);
    writer.finish();
    file.commit();
  }
  {
    OutputFile file(continued);
    NpyWriter writer(file, {.rows = std::nullopt, .columns = 2});
    writer.append(std::span(rows).first(4));
    file.bring_to_disk();
    file.keep_part();
  }
  OutputFile file(continued, {.keep_bytes = 128 + 4 * sizeof(float)});
  NpyWriter writer(file, {.rows = std::nullopt, .columns = 2, .rows_there = 2});
  writer.append(std::span(rows).subspan(4));
  writer.finish();
  file.commit();
  CHECK(read_file(continued) == read_file(whole));
}

TEST_CASE("a NumPy file of bytes or halves holds the rows that it was given") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "x.npy";
  for (const NpyType type : {NpyType::int8, NpyType::uint8, NpyType::float16, NpyType::float64}) {
    const std::string bytes = std::string("0123456789abcdefghijklmn").substr(0, 3 * size_of(type));
    OutputFile out(path);
    NpyWriter writer(out, {.rows = std::nullopt, .columns = 3, .type = type});
    writer.append(std::as_bytes(std::span(bytes)));
    writer.append(std::as_bytes(std::span(bytes)));
    CHECK(usage([&] {
            writer.append(std::as_bytes(std::span(bytes)).first(1));
          }).ends_with("expected rows of 3 numbers, got " + std::to_string(1 / size_of(type))));
    writer.finish();
    out.commit();
    const auto rows = map_npy(path);
    CHECK(rows.type == type);
    CHECK(rows.rows == 2);
    CHECK(std::string(reinterpret_cast<const char*>(rows.bytes.data()), rows.bytes.size()) == bytes + bytes);
  }
}
