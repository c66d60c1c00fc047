#include <doctest/doctest.h>

#include <random>

#include "base/error.hpp"
#include "io/allocated_bytes.hpp"
#include "io/checkpoint.hpp"
#include "io/files.hpp"
#include "io/safetensors.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

enum class Outcome { loaded, refused };

/// Reads a file of these bytes. Anything but success or an Error of ours leaves the test.
Outcome outcome_of(const fs::path& path, const std::string& bytes) {
  write_file(path, bytes);
  try {
    const auto file = read_safetensors(path);
    size_t sum = 0;
    for (const auto& [name, tensor] : file.tensors) {
      for (const std::byte byte : tensor.bytes) sum += static_cast<size_t>(byte);
      REQUIRE(tensor.bytes.size() == tensor.elements() * model::size_of(tensor.dtype));
    }
    REQUIRE(sum <= bytes.size() * 255);
    return Outcome::loaded;
  } catch (const Error&) {
    return Outcome::refused;
  }
}

std::string small_file() {
  return safetensors_bytes({floats("a", {2, 3}, {1, 2, 3, 4, 5, 6}),
                            {"b", "I64", {1}, std::string(8, '\1')},
                            {"c", "F16", {0, 4}, ""},
                            {"d", "U8", {3}, "xyz"}});
}

/// A file of n bytes may cost some multiple of n: its JSON and the shapes become objects. Reading and throwing have a
/// constant part.
constexpr size_t kBytesPerByte = 64;
constexpr size_t kConstantBytes = size_t{64} << 10;

}  // namespace

TEST_CASE("a file cut at any byte is refused") {
  const TemporaryDirectory directory;
  const std::string whole = small_file();
  REQUIRE(outcome_of(directory.path() / "x", whole) == Outcome::loaded);
  for (size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK(outcome_of(directory.path() / "x", whole.substr(0, length)) == Outcome::refused);
  }
  CHECK(outcome_of(directory.path() / "x", whole + "y") == Outcome::refused);
}

TEST_CASE("a file with any single bit of its header turned over loads or is refused") {
  const TemporaryDirectory directory;
  const std::string whole = small_file();
  size_t refused = 0;
  const size_t header_end = whole.size() - 35;
  for (size_t at = 0; at < header_end; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      refused += outcome_of(directory.path() / "x", bytes) == Outcome::refused ? 1 : 0;
    }
  }
  CHECK(refused > header_end * 6);  // what survives is letters of names and dtypes of one width
}

TEST_CASE("random damage never crashes, and costs memory only by the file's length") {
  const TemporaryDirectory directory;
  const std::string whole = small_file();
  std::mt19937 random(7);  // NOLINT: the same damage every time
  const std::string alphabet = "{}[]\",:0123456789-.eE\\u \0\xff\x80";
  const auto pick = [&](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = whole;
    for (size_t changes = 1 + pick(4); changes > 0; --changes) {
      const size_t at = pick(bytes.size());
      switch (pick(4)) {
        case 0:
          bytes[at] = alphabet[pick(alphabet.size())];
          break;
        case 1:
          bytes.insert(at, std::string(1 + pick(9), alphabet[pick(alphabet.size())]));
          break;
        case 2:
          bytes.erase(at, 1 + pick(9));
          break;
        default:
          bytes.insert(at, bytes.substr(pick(bytes.size()), pick(60)));
      }
      if (bytes.empty()) bytes = "x";
    }
    write_file(directory.path() / "x", bytes);
    const size_t before = allocated_bytes();
    std::string shown;
    try {
      static_cast<void>(read_safetensors(directory.path() / "x"));
    } catch (const Error& error) {
      shown = error.what();
    }
    CHECK(allocated_bytes() - before <= kConstantBytes + kBytesPerByte * bytes.size());
    CHECK(shown.find('\n') == std::string::npos);
  }
}

TEST_CASE("numbers in a file that promise much allocate nothing") {
  const TemporaryDirectory directory;
  const auto cost = [&](const std::string& bytes) {
    write_file(directory.path() / "x", bytes);
    const size_t before = allocated_bytes();
    CHECK_THROWS_AS(static_cast<void>(read_safetensors(directory.path() / "x")), CheckpointError);
    return allocated_bytes() - before;
  };
  CHECK(cost(std::string("\xff\xff\xff\xff\xff\0\0\0{}", 10)) < kConstantBytes);
  CHECK(cost(safetensors_bytes(R"({"a":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}})",
                               "")) < kConstantBytes);
}

TEST_CASE("a configuration that asks for more layers than a file has tensors is refused before they are listed") {
  const TemporaryDirectory directory;
  write_tiny(directory.path());
  std::string config = tiny_config_json();
  const std::string layers = "\"num_hidden_layers\":1";
  config.replace(config.find(layers), layers.size(), "\"num_hidden_layers\":4000");
  write_file(directory.path() / "config.json", config);
  const size_t before = allocated_bytes();
  CHECK(message_of<CheckpointError>([&] { static_cast<void>(load_checkpoint(directory.path())); }) ==
        "[" + (directory.path() / "model.safetensors").string() +
            "] num_hidden_layers: expected at most 23, the number of tensors in the file, got 4000");
  CHECK(allocated_bytes() - before < 4 * kConstantBytes);
}

TEST_CASE("damage in a whole checkpoint's JSON files never crashes") {
  const TemporaryDirectory directory;
  const fs::path& at = directory.path();
  const std::map<std::string, std::string> files{
      {"config.json", tiny_config_json()},
      {"modules.json", R"([{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},)"
                       R"({"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"}])"},
      {"1_Pooling/config.json", R"({"word_embedding_dimension":4,"pooling_mode_cls_token":true})"},
      {"sentence_bert_config.json", R"({"do_lower_case":false,"max_seq_length":null})"},
      {"config_sentence_transformers.json", R"({"prompts":{"query":"q: "},"default_prompt_name":"query"})"},
      {"tokenizer_config.json", R"({"model_max_length":5})"},
  };
  write_tiny(at);
  for (const auto& [name, text] : files) write_file(at / name, text);
  REQUIRE(load_checkpoint(at).sentence.pooling == std::vector{model::Pooling::cls});
  std::mt19937 random(11);  // NOLINT: the same damage every time
  const std::string alphabet = "{}[]\",:019-.\\u \0\xff tnf";
  for (const auto& [name, text] : files) {
    for (int round = 0; round < 300; ++round) {
      std::string bytes = text;
      bytes[random() % bytes.size()] = alphabet[random() % alphabet.size()];
      if (round % 3 == 0) bytes.erase(random() % bytes.size(), random() % 9);
      write_file(at / name, bytes);
      try {
        static_cast<void>(load_checkpoint(at).sentence_modules());
      } catch (const Error& error) {
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
      }
    }
    write_file(at / name, std::string(100000, '['));
    CHECK_THROWS_AS(static_cast<void>(load_checkpoint(at).sentence_modules()), ConfigError);
    write_file(at / name, text);
  }
}
