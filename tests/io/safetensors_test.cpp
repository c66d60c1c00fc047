#include "io/safetensors.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

/// The message with which a file of these bytes is refused, without its place.
template <class Refused = CheckpointError>
std::string refusal(const std::string& bytes) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "x.safetensors";
  write_file(path, bytes);
  const std::string message = message_of<Refused>([&] { static_cast<void>(read_safetensors(path)); });
  const std::string place = "[" + path.string() + "] ";
  REQUIRE(message.starts_with(place));
  return message.substr(place.size());
}

std::string refusal(const std::string& header, const std::string& data) {
  return refusal(safetensors_bytes(header, data));
}

SafetensorsFile read(const std::string& bytes) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "x.safetensors", bytes);
  return read_safetensors(directory.path() / "x.safetensors");  // the map outlives the directory entry
}

}  // namespace

TEST_CASE("a file is read with its tensors, its metadata and the types that are only checked") {
  const auto file = read(safetensors_bytes(
      R"({"__metadata__":{"format":"pt","":"e"},"b":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},)"
      R"("a":{"data_offsets":[0,8],"shape":[2,1],"dtype":"F32"},"none":{"dtype":"BF16","shape":[0,9],)"
      R"("data_offsets":[16,16]},"one":{"dtype":"I8","shape":[],"data_offsets":[16,17]}}   )",
      std::string("\0\0\x80\x3f\0\0\0\x40", 8) + "12345678" + "\xff"));
  REQUIRE(file.tensors.size() == 3);
  CHECK(model::to_floats(file.tensors.at("a")) == std::vector<float>{1.0F, 2.0F});
  CHECK(model::describe(file.tensors.at("none")) == "BF16 [0, 9]");
  CHECK(model::to_floats(file.tensors.at("one")) == std::vector<float>{-1.0F});
  CHECK(file.unsupported.at("b") == "F64 [1]");
  CHECK(file.metadata == decltype(file.metadata){{"", "e"}, {"format", "pt"}});
}

TEST_CASE("a tensor keeps the mapped file alive") {
  const model::Tensor tensor = read(safetensors_bytes({floats("a", {2}, {3, 4})})).tensors.at("a");
  CHECK(model::to_floats(tensor) == std::vector<float>{3, 4});
}

TEST_CASE("a header's length is checked against the file's") {
  CHECK(refusal("1234567") == "expected a header length of 8 bytes, got a file of 7");
  CHECK(refusal(std::string("\x03\0\0\0\0\0\0\0{}", 10)) == "the file ends early: expected 11 bytes, got 10");
  CHECK(
      refusal(std::string(8, '\xff') + "{}") ==
      "expected a safetensors file, which begins with the length of its header (at most 16777216 bytes), got one that "
      "begins with '\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff{}'");
  CHECK(refusal("<!DOCTYPE html><html>").ends_with("got one that begins with '<!DOCTYPE html><'"));
}

TEST_CASE("a file that ends early is told from one with wrong numbers, wherever it ends") {
  const std::string whole = safetensors_bytes({floats("a", {2}, {3, 4}), floats("b", {3}, {5, 6, 7})});
  CHECK_NOTHROW(read(whole));
  for (size_t length = 8; length < whole.size(); ++length) {
    const std::string got = refusal(whole.substr(0, length));
    CHECK_MESSAGE(got.starts_with("the file ends early: expected "), got);
    CHECK(got.ends_with(" bytes, got " + std::to_string(length)));
  }
  CHECK(refusal(whole.substr(0, whole.size() - 1)) == "the file ends early: expected " + std::to_string(whole.size()) +
                                                          " bytes, got " + std::to_string(whole.size() - 1));
}

TEST_CASE("a git-lfs pointer is said for what it is") {
  CHECK(refusal<IoError>("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 90868376\n") ==
        "expected the file itself, got a git-lfs pointer to it: run 'git lfs pull' in its folder");
}

TEST_CASE("a header that is not the format's JSON is refused") {
  const std::string start = "header: expected JSON that begins with '{' and has no zero byte";
  CHECK(refusal("", "") == start);
  CHECK(refusal(" {}", "") == start);
  CHECK(refusal(std::string("{}\0garbage", 10), "") == start);
  CHECK(refusal("\xEF\xBB\xBF{}", "") == start);
  CHECK(refusal("{", "") == "header: expected JSON in UTF-8, got something else at its byte 2");
  CHECK(refusal("{} x", "") == "header: expected JSON in UTF-8, got something else at its byte 4");
  CHECK(refusal("{\"\xff\":1}", "") == "header: expected JSON in UTF-8, got something else at its byte 3");
  CHECK(refusal(R"({"a":1})", "") == "'a': expected an object, got a number");
  CHECK(refusal(R"({"__metadata__":{"a":1}})", "") == "__metadata__: expected strings, got a number");
  CHECK(refusal(R"({"__metadata__":{"a":"1","a":"2"}})", "") == "__metadata__: expected strings, got a key twice");
}

TEST_CASE("an entry with a key that is missing, unknown, doubled or of another type is refused") {
  const std::string keys = "'a': expected dtype (a string), shape and data_offsets (lists), got ";
  CHECK(refusal(R"({"a":{"dtype":"F32","shape":[0]}})", "") == keys + "only some of these keys");
  CHECK(refusal(R"({"a":{"dtype":"F32","more":[0]}})", "") == keys + "the key 'more'");
  CHECK(refusal(R"({"a":{"dtype":"F32","dtype":"F32"}})", "") == keys + "the key 'dtype' twice");
  CHECK(refusal(R"({"a":{"dtype":1}})", "") == keys + "a number");
  CHECK(refusal(R"({"a":{"dtype":["F32"]}})", "") == keys + "a list");
  CHECK(refusal(R"({"a":{"shape":"2"}})", "") == keys + "a string");
  CHECK(refusal(R"({"a":{"shape":[-2]}})", "") == "'a': expected a shape of sizes, got a negative number");
  CHECK(refusal(R"({"a":{"shape":[1.5]}})", "") == "'a': expected a shape of sizes, got the number 1.5");
  CHECK(refusal(R"({"a":{"shape":[18446744073709551616]}})", "") ==
        "'a': expected a shape of sizes, got the number 18446744073709551616");
  CHECK(refusal(R"({"a":{"shape":[[1]]}})", "") == "'a': expected a shape of sizes, got a list");
  CHECK(refusal(R"({"a":{"shape":[null]}})", "") == "'a': expected a shape of sizes, got null");
  CHECK(refusal(R"({"a":{"data_offsets":[1]}})", "") == "'a': expected two byte offsets, got fewer than two offsets");
  CHECK(refusal(R"({"a":{"data_offsets":[1,2,3]}})", "") == "'a': expected two byte offsets, got a third offset");
}

TEST_CASE("a name that occurs twice is refused") {
  const std::string entry = R"("a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  CHECK(refusal("{" + entry + "," + entry + "}", "") == "'a': expected each name once, got it twice");
}

TEST_CASE("deep nesting is refused at its first level and costs no stack") {
  CHECK(refusal(R"({"a":)" + std::string(1000000, '['), "") == "'a': expected an object, got a list");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += R"({"a":)";
  CHECK(refusal(objects, "").starts_with("'a': expected dtype (a string), shape and data_offsets (lists), got"));
}

TEST_CASE("offsets and shapes must agree with each other and with the data") {
  const auto entry = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  const std::string data(8, 'x');
  CHECK(refusal(entry("F33", "[2]", "[0,8]"), data) == "'a': expected a dtype of the safetensors format, got 'F33'");
  CHECK(refusal(entry("F32", "[2]", "[0,9]"), data) == "'a': expected data_offsets within [0, 8], got [0, 9]");
  CHECK(refusal(entry("F32", "[2]", "[8,0]"), data) == "'a': expected data_offsets within [0, 8], got [8, 0]");
  CHECK(refusal(entry("F32", "[3]", "[0,8]"), data) == "'a': expected 12 bytes for F32 [3], got 8");
  CHECK(refusal(entry("F64", "[3]", "[0,8]"), data) == "'a': expected 24 bytes for F64 [3], got 8");
  CHECK(refusal(entry("F4", "[3]", "[0,8]"), data) == "'a': expected a whole number of bytes for F4 [3], got 8");
  CHECK(refusal(entry("F32", "[4611686018427387904,4]", "[0,0]"), "") ==
        "'a': expected a whole number of bytes for F32 [4611686018427387904, 4], got 0");
}

TEST_CASE("data that tensors share, leave out or do not reach is refused") {
  const auto two = [](const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"I8","shape":[2],"data_offsets":)" + first +
           R"(},"b":{"dtype":"I8","shape":[2],"data_offsets":)" + second + "}}";
  };
  const std::string begins = "'b': expected its data to begin at byte 2, where the tensor before it ends, got ";
  CHECK(refusal(two("[0,2]", "[1,3]"), "xxx") == begins + "1");
  CHECK(refusal(two("[0,2]", "[3,5]"), "xxxxx") == begins + "3");
  CHECK(refusal(two("[0,2]", "[2,4]"), "xxxxx") == "expected 4 bytes of tensor data, got 5");
  CHECK(refusal(two("[0,2]", "[2,4]"), "xxx").starts_with("the file ends early: expected "));
  CHECK(read(safetensors_bytes(two("[2,4]", "[0,2]"), "xxxx")).tensors.size() == 2);
}

TEST_CASE("what is not a regular file with content is refused with the reason") {
  const TemporaryDirectory directory;
  const auto refused = [](const fs::path& path) {
    return message_of<IoError>([&] { static_cast<void>(read_safetensors(path)); });
  };
  const fs::path& at = directory.path();
  write_file(at / "empty", "");
  REQUIRE(::mkfifo((at / "pipe").c_str(), 0600) == 0);
  CHECK(refused(at / "empty") == "[" + (at / "empty").string() + "] expected a file with content, got an empty one");
  CHECK(refused(at / "pipe") == "[" + (at / "pipe").string() + "] expected a regular file, got a pipe or device");
  CHECK(refused(at) == "[" + at.string() + "] expected a file, got a directory");
  CHECK(refused(at / "gone") == "[" + (at / "gone").string() + "] cannot be read: No such file or directory");
  CHECK(refused(at / "li\nne") == "[" + at.string() + "/li\\x0ane] cannot be read: No such file or directory");
}
