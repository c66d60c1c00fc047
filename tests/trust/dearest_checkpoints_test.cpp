// Files that take as much memory for their size as anybody can make them take.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "io/files.hpp"
#include "support/sanitized.hpp"
#include "text/vocabulary.hpp"
#include "trust/trial.hpp"

using namespace summand;
using namespace summand::trust;

namespace {

const std::vector<size_t> kTokenLengths =
    test::kSanitized ? std::vector<size_t>{6} : std::vector<size_t>{4, 5, 6, 7, 8, 20};
constexpr size_t kTokens = text::Vocabulary::kMostTokens - 20;

std::string list_of(const std::string& value, size_t values) {
  std::string text = "[" + value;
  for (size_t i = 1; i < values; ++i) (text += ",") += value;
  return text + "]";
}

std::string nested(size_t levels) {
  std::string text;
  for (size_t i = 0; i < levels; ++i) text += "{\"a\":";
  return text + "0" + std::string(levels, '}');
}

/// Puts text behind the bracket that opens the value of a key.
std::string with(std::string json, const std::string& key, const std::string& more) {
  const size_t at = json.find("\"" + key + "\":");
  return json.insert(json.find_first_of("[{", at) + 1, more);
}

std::string random_token(std::mt19937& random, size_t length) {
  std::string token;
  for (size_t i = 0; i < length; ++i) token += static_cast<char>('#' + random() % 50);
  return token;
}

/// A checkpoint's files, and one of them replaced.
Files replaced(Files files, const std::string& name, std::string content) {
  files[name] = std::move(content);
  return files;
}

std::string with_tokens(const std::string& tokenizer_json, size_t length) {
  std::mt19937 random(1);  // NOLINT: the same every time
  std::string tokens;
  for (size_t id = 0; id < kTokens; ++id) tokens += fmt::format("\"{}\":{},", random_token(random, length), 12 + id);
  return with(tokenizer_json, "vocab", tokens);
}

std::string with_added_tokens(const std::string& tokenizer_json, size_t count) {
  std::string tokens;
  for (size_t i = 0; i < count; ++i) {
    tokens += fmt::format(R"({{"id":0,"content":"<{}>","special":false,"single_word":false,"lstrip":false,)"
                          R"("rstrip":false,"normalized":false}},)",
                          i);
  }
  return with(tokenizer_json, "added_tokens", tokens);
}

std::string with_labels(const std::string& config_json, size_t count) {
  std::string labels;
  for (size_t i = 3; i < count; ++i) labels += fmt::format("\"{}\":\"\",", i);
  return with(config_json, "id2label", labels);
}

/// More tensors without elements, and as many entries of metadata.
std::string with_entries(const std::string& safetensors, size_t count) {
  std::string tensors;
  std::string metadata;
  for (size_t i = 0; i < count; ++i) {
    tensors += fmt::format(R"("{}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}},)", i);
    metadata += fmt::format("{}\"{}\":\"\"", i == 0 ? "" : ",", i);
  }
  uint64_t length = 0;
  std::memcpy(&length, safetensors.data(), sizeof(length));
  std::string header = safetensors.substr(sizeof(length), length);
  header.insert(1, tensors + "\"__metadata__\":{" + metadata + "},");
  return io::test::safetensors_bytes(header, safetensors.substr(sizeof(length) + length));
}

}  // namespace

TEST_CASE("no file costs more than its size and 100 MB") {
  watch();
  Trial trial;
  const auto valid = valid_checkpoints();
  const Files& whole = valid[0].files;
  const Files& several = valid[1].files;
  const auto run = [&](const Files& files, const std::string& what) {
    return trial.run({.files = files, .removed_for = {}, .what = {}}, what);
  };
  for (const std::string name : {"config.json", "tokenizer.json"}) {
    for (const size_t scale : {1, 2, 4}) {
      run(replaced(whole, name, list_of("0", scale * 1'000'000)), name + ": numbers");
      run(replaced(whole, name, list_of("[]", scale * 400'000)), name + ": empty lists");
      run(replaced(whole, name, list_of("{\"a\":0}", scale * 200'000)), name + ": objects");
      run(replaced(whole, name, list_of(nested(90), scale * 3'500)), name + ": nested objects");
      run(replaced(whole, name, list_of("\"\"", scale * 500'000)), name + ": strings");
      run(replaced(whole, name, "[\"" + std::string(scale * 4'000'000, 'x') + "\"]"), name + ": a long string");
    }
  }
  for (const size_t length : kTokenLengths) {
    const std::string tokenizer = with_tokens(whole.at("tokenizer.json"), length);
    Files files = replaced(whole, "tokenizer.json", tokenizer);
    run(files, fmt::format("tokens of {} bytes", length));
    files["model.safetensors"] = with_entries(whole.at("model.safetensors"), 16'000);
    std::string config = with_labels(whole.at("config.json"), 262'000);
    files["config.json"] = config.replace(config.find("BertForSequenceClassification"), 29, "BertModel");
    run(files, fmt::format("tokens of {} bytes, labels, tensors", length));
    std::mt19937 random(1);  // NOLINT: the same every time
    std::string lines = several.at("vocab.txt");
    for (size_t i = 0; i < kTokens; ++i) (lines += random_token(random, length)) += "\n";
    run(replaced(several, "vocab.txt", lines), fmt::format("vocab.txt: tokens of {} bytes", length));
  }
  for (const size_t scale : {1, 8}) {
    run(replaced(several, "vocab.txt", several.at("vocab.txt") + std::string(scale * 2'000'000, 'x') + "\n"),
        "a long token");
    run(replaced(several, "vocab.txt", several.at("vocab.txt") + std::string(scale * 500'000, '\n')), "empty lines");
  }
  for (const size_t count : {10'000, 50'000, 100'000}) {
    run(replaced(whole, "tokenizer.json", with_added_tokens(whole.at("tokenizer.json"), count)), "added tokens");
    run(replaced(whole, "model.safetensors", with_entries(whole.at("model.safetensors"), count)), "tensors");
    std::string places;
    for (size_t i = 0; i < count; ++i) places += fmt::format("\"{}\":\"model-0.safetensors\",", i);
    const std::string index = "model.safetensors.index.json";
    run(replaced(several, index, with(several.at(index), "weight_map", places)), "an index");
    auto shard = replaced(several, "model-0.safetensors", with_entries(several.at("model-0.safetensors"), 16'000));
    shard["model-1.safetensors"] = with_entries(several.at("model-1.safetensors"), 16'000);
    run(shard, "tensors in two files");
  }
  trial.finish();
}
