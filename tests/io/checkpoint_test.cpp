#include "io/checkpoint.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cmath>

#include "base/error.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

/// The message with which a directory is refused, "DIR" standing for its path.
std::string refusal(const fs::path& directory) {
  std::string message = message_of<Error>([&] { static_cast<void>(load_checkpoint(directory)); });
  const std::string place = directory.string();
  for (size_t at = 0; (at = message.find(place)) != std::string::npos;) message.replace(at, place.size(), "DIR");
  return message;
}

std::string refusal(const std::vector<RawTensor>& tensors) {
  const TemporaryDirectory directory;
  write_tiny(directory.path(), tensors);
  return refusal(directory.path());
}

Checkpoint load(const std::vector<RawTensor>& tensors) {
  const TemporaryDirectory directory;
  write_tiny(directory.path(), tensors);
  return load_checkpoint(directory.path());
}

}  // namespace

TEST_CASE("a directory of Hugging Face's is loaded whole") {
  const TemporaryDirectory directory;
  write_tiny(directory.path());
  const Checkpoint checkpoint = load_checkpoint(directory.path());
  CHECK(checkpoint.parts.pooler == model::Pooler::present);
  CHECK(checkpoint.weights.size() == model::parameters(checkpoint.config.config, checkpoint.parts).size());
  CHECK(model::to_floats(checkpoint.weights.at("encoder.layer.0.output.dense.bias")) ==
        std::vector<float>{0, 0.125F, 0.25F, 0.375F});
  CHECK(checkpoint.notices.empty());
  CHECK(checkpoint.transformer_directory == directory.path());
  CHECK_FALSE(checkpoint.sentence.from_directory);
  CHECK(checkpoint.sentence.pooling == std::vector{model::Pooling::mean});
  CHECK(checkpoint.sentence.steps.empty());
  CHECK(checkpoint.sentence.max_seq_length == 5);
}

TEST_CASE("names may have the bert. prefix and the old gamma and beta") {
  auto tensors = tiny_tensors();
  for (auto& tensor : tensors) {
    const auto norm = tensor.name.find("LayerNorm.");
    if (norm != std::string::npos) {
      tensor.name =
          tensor.name.substr(0, norm) + (tensor.name.ends_with("weight") ? "LayerNorm.gamma" : "LayerNorm.beta");
    }
    tensor.name = "bert." + tensor.name;
  }
  tensors.push_back(floats("cls.predictions.bias", {7}, std::vector<float>(7)));
  const Checkpoint checkpoint = load(tensors);
  const Checkpoint plain = load(tiny_tensors());
  REQUIRE(checkpoint.weights.size() == plain.weights.size());
  for (const auto& [name, tensor] : plain.weights) {
    CHECK(model::to_floats(checkpoint.weights.at(name)) == model::to_floats(tensor));
  }
  REQUIRE(checkpoint.notices.size() == 2);
  CHECK(checkpoint.notices[0].ends_with(
      "the masked language head is left out, missing 'cls.predictions.transform.dense.weight', "
      "'cls.predictions.transform.dense.bias', 'cls.predictions.transform.LayerNorm.weight', "
      "'cls.predictions.transform.LayerNorm.bias'"));
  CHECK(checkpoint.notices[1].ends_with(
      "model.safetensors: 1 tensor is not part of the model and left out: 'cls.predictions.bias'"));
}

TEST_CASE("two spellings of one parameter are an error") {
  auto tensors = tiny_tensors();
  tensors.push_back(floats("bert.embeddings.LayerNorm.gamma", {4}, std::vector<float>(4)));
  CHECK(refusal(tensors) ==
        "[DIR/model.safetensors] expected one tensor 'embeddings.LayerNorm.weight', got both "
        "'bert.embeddings.LayerNorm.gamma' and 'embeddings.LayerNorm.weight'");
}

TEST_CASE("position_ids that count are not mentioned, others are surplus") {
  auto tensors = tiny_tensors();
  tensors.push_back({"embeddings.position_ids", "I64", {1, 2}, std::string("\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16)});
  CHECK(load(tensors).notices.empty());
  tensors.back().data[8] = '\2';
  REQUIRE(load(tensors).notices.size() == 1);
  CHECK(load(tensors).notices[0].ends_with("left out: 'embeddings.position_ids'"));
}

TEST_CASE("all missing parameters are named") {
  auto tensors = tiny_tensors();
  std::erase_if(tensors, [](const RawTensor& tensor) {
    return tensor.name == "pooler.dense.bias" || tensor.name == "encoder.layer.0.attention.self.key.weight";
  });
  CHECK(refusal(tensors) ==
        "[DIR/model.safetensors] expected 23 parameters, missing 2: "
        "'encoder.layer.0.attention.self.key.weight', 'pooler.dense.bias'");
}

TEST_CASE("where no parameter is there, the names that are there are said") {
  auto tensors = tiny_tensors();
  for (RawTensor& tensor : tensors) tensor.name = "model." + tensor.name;
  tensors.resize(2);
  CHECK(refusal(tensors) ==
        "[DIR/model.safetensors] expected a BERT's parameters, as "
        "'embeddings.word_embeddings.weight', got none of them; the file has '" +
            tensors[1].name + "', '" + tensors[0].name + "'");
}

TEST_CASE("a model without a pooler has none") {
  CHECK(load(tiny_tensors(model::Pooler::absent)).parts.pooler == model::Pooler::absent);
}

TEST_CASE("a parameter of another shape or type is named with both") {
  auto tensors = tiny_tensors();
  named(tensors, "pooler.dense.bias") = floats("pooler.dense.bias", {2, 2}, std::vector<float>(4));
  CHECK(refusal(tensors) ==
        "[DIR/model.safetensors] 'pooler.dense.bias': expected F32, F16 or BF16 [4], got F32 [2, 2]");
  named(tensors, "pooler.dense.bias") = {"pooler.dense.bias", "I8", {4}, "1234"};
  CHECK(refusal(tensors) == "[DIR/model.safetensors] 'pooler.dense.bias': expected F32, F16 or BF16 [4], got I8 [4]");
  named(tensors, "pooler.dense.bias") = {"pooler.dense.bias", "F64", {4}, std::string(32, '\0')};
  CHECK(refusal(tensors) == "[DIR/model.safetensors] 'pooler.dense.bias': expected F32, F16 or BF16 [4], got F64 [4]");
}

TEST_CASE("a type that nobody computes with is surplus where nobody needs it") {
  auto tensors = tiny_tensors();
  tensors.push_back({"buffer", "F64", {1}, std::string(8, '\0')});
  CHECK(load(tensors).notices.at(0).ends_with("left out: 'buffer'"));
}

TEST_CASE("half precision parameters are taken as they are") {
  auto tensors = tiny_tensors();
  named(tensors, "pooler.dense.bias") = {"pooler.dense.bias", "BF16", {4}, std::string("\x80\x3f\0\0\0\0\0\0", 8)};
  named(tensors, "embeddings.LayerNorm.bias") = {
      "embeddings.LayerNorm.bias", "F16", {4}, std::string("\x00\x3c\x01\0\0\0\0\0", 8)};
  const Checkpoint checkpoint = load(tensors);
  CHECK(model::to_floats(checkpoint.weights.at("pooler.dense.bias")) == std::vector<float>{1, 0, 0, 0});
  CHECK(model::to_floats(checkpoint.weights.at("embeddings.LayerNorm.bias")) == std::vector<float>{1, 0x1p-24F, 0, 0});
}

TEST_CASE("a number that is not finite is found wherever it stands, in every type") {
  const std::string name = "embeddings.word_embeddings.weight";
  const std::string place = "[DIR/model.safetensors] '" + name + "': expected finite numbers, got ";
  for (size_t at = 0; at < 28; ++at) {
    auto tensors = tiny_tensors();
    std::vector<float> values(28, -3.4e38F);
    values[at] = at % 2 == 0 ? std::nanf("") : -INFINITY;
    named(tensors, name) = floats(name, {7, 4}, values);
    CHECK(refusal(tensors) == place + (at % 2 == 0 ? "nan" : "-inf") + " at element " + std::to_string(at));
    std::string halves(56, '\x7b');  // 0x7b7b is finite in both
    halves[2 * at + 1] = '\x7f';
    halves[2 * at] = '\x80';  // infinity in BF16, NaN in F16
    named(tensors, name) = {name, "BF16", {7, 4}, halves};
    CHECK(refusal(tensors) == place + "inf at element " + std::to_string(at));
    named(tensors, name) = {name, "F16", {7, 4}, halves};
    CHECK(refusal(tensors) == place + "nan at element " + std::to_string(at));
    halves[2 * at + 1] = '\xfc';  // minus infinity in F16
    halves[2 * at] = '\0';
    named(tensors, name) = {name, "F16", {7, 4}, halves};
    CHECK(refusal(tensors) == place + "-inf at element " + std::to_string(at));
  }
}

TEST_CASE("a directory without the files it needs says which") {
  const TemporaryDirectory temporary;
  const fs::path& at = temporary.path();
  CHECK(refusal(at) == "[DIR] expected a config.json, got none");
  write_file(at / "config.json", tiny_config_json());
  CHECK(refusal(at) == "[DIR] expected model.safetensors or pytorch_model.bin, got none");
  write_file(at / "weights.safetensors", "x");
  CHECK(refusal(at) == "[DIR] expected model.safetensors or pytorch_model.bin, got only 'weights.safetensors'");
  write_file(at / "tf_model.h5", "x");
  CHECK(refusal(at) ==
        "[DIR] expected model.safetensors or pytorch_model.bin, got only tf_model.h5, which must be converted to "
        "safetensors first");
  CHECK(refusal(at / "config.json") == "[DIR] expected a checkpoint directory, got a file");
  CHECK(refusal(at / "gone") == "[DIR] cannot be read: No such file or directory");
}

TEST_CASE("a folder one level too high says where the checkpoint lies") {
  const TemporaryDirectory temporary;
  const fs::path& at = temporary.path();
  const auto put = [&](const fs::path& folder, const char* name) {
    fs::create_directories(at / folder);
    write_file(at / folder / name, "{}");
  };
  put("1_Pooling", "config.json");
  CHECK(refusal(at) == "[DIR] expected a config.json, got none");
  for (const char* name : {"config.json", "vocab.txt"}) put("snapshots/0123", name);
  CHECK(refusal(at) == "[DIR] expected a config.json, got none; one lies in DIR/snapshots/0123");
  for (const char* name : {"config.json", "tokenizer.json"}) put("model", name);
  CHECK(refusal(at) == "[DIR] expected a config.json, got none; one lies in DIR/model, and one in DIR/snapshots/0123");
  for (const char* folder : {"snapshots/4", "snapshots/5"}) {
    for (const char* name : {"config.json", "tokenizer.json"}) put(folder, name);
  }
  CHECK(refusal(at) ==
        "[DIR] expected a config.json, got none; one lies in DIR/model, and one in DIR/snapshots/0123, and one in "
        "DIR/snapshots/4, and in others");
}

TEST_CASE("a git-lfs pointer in place of a configuration is said for what it is") {
  const TemporaryDirectory directory;
  write_file(directory.path() / "config.json", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 612\n");
  CHECK(refusal(directory.path()) ==
        "[DIR/config.json] expected the file itself, got a git-lfs pointer to it: run 'git lfs pull' in its folder");
}

TEST_CASE("another model type is named") {
  const TemporaryDirectory directory;
  write_file(directory.path() / "config.json", R"({"model_type":"roberta"})");
  CHECK(refusal(directory.path()) == "[DIR/config.json] model_type 'roberta' is not supported, expected 'bert'");
}

TEST_CASE("a configuration that is too long, holds a zero byte or is no file is refused") {
  const TemporaryDirectory temporary;
  const fs::path& at = temporary.path();
  write_tiny(at);
  write_file(at / "config.json", tiny_config_json() + std::string(1, '\0'));
  CHECK(refusal(at) == "[DIR/config.json:1] expected JSON, got a zero byte");
  write_file(at / "config.json", std::string((size_t{16} << 20) + 1, ' '));
  CHECK(refusal(at) == "[DIR/config.json] expected a file of at most 16777216 bytes, got a longer one");
  fs::remove(at / "config.json");
  REQUIRE(::mkfifo((at / "config.json").c_str(), 0600) == 0);
  CHECK(refusal(at) == "[DIR/config.json] expected a regular file, got a pipe or device");
  fs::remove(at / "config.json");
  fs::create_directory(at / "config.json");
  CHECK(refusal(at) == "[DIR/config.json] expected a file, got a directory");
}

TEST_CASE("unreadable files and directories give the system's reason") {
  const Unprivileged user;
  const TemporaryDirectory temporary;
  const fs::path& at = temporary.path();
  write_tiny(at / "model");
  fs::permissions(at / "model" / "model.safetensors", fs::perms::none);
  CHECK(refusal(at / "model") == "[DIR/model.safetensors] cannot be read: Permission denied");
  fs::permissions(at / "model", fs::perms::none);
  CHECK(refusal(at / "model") == "[DIR/modules.json] cannot be read: Permission denied");
  fs::permissions(at / "model", fs::perms::owner_all);
}

TEST_CASE("a checkpoint cut anywhere in its data is refused") {
  const TemporaryDirectory directory;
  write_tiny(directory.path());
  const std::string whole = read_file(directory.path() / "model.safetensors");
  for (const size_t lost : {1, 2, 3, 4, 100, 999}) {
    write_file(directory.path() / "model.safetensors", whole.substr(0, whole.size() - lost));
    CHECK_THROWS_AS(static_cast<void>(load_checkpoint(directory.path())), CheckpointError);
  }
}

namespace {

/// Spreads the tiny model over two files with an index. @return the index's text
std::string write_sharded(const fs::path& at) {
  write_file(at / "config.json", tiny_config_json());
  std::vector<RawTensor> shards[2];
  std::string map;
  for (const auto& tensor : tiny_tensors()) {
    const size_t shard = map.size() % 2;
    map += (map.empty() ? "\"" : ",\"") + tensor.name + "\":\"part-" + std::to_string(shard) + ".safetensors\"";
    shards[shard].push_back(tensor);
  }
  for (size_t i = 0; i < 2; ++i) {
    write_file(at / ("part-" + std::to_string(i) + ".safetensors"), safetensors_bytes(shards[i]));
  }
  std::string index = R"({"metadata":{"total_size":1},"weight_map":{)" + map + "}}";
  write_file(at / "model.safetensors.index.json", index);
  return index;
}

}  // namespace

TEST_CASE("a sharded checkpoint loads like a single one") {
  const TemporaryDirectory directory;
  write_sharded(directory.path());
  const Checkpoint sharded = load_checkpoint(directory.path());
  const Checkpoint single = load(tiny_tensors());
  REQUIRE(sharded.weights.size() == single.weights.size());
  for (const auto& [name, tensor] : single.weights) {
    CHECK(model::to_floats(sharded.weights.at(name)) == model::to_floats(tensor));
  }
}

TEST_CASE("an index that does not fit its files says where") {
  const TemporaryDirectory temporary;
  const fs::path& at = temporary.path();
  const std::string index = write_sharded(at);
  const std::string begin = index.substr(0, index.size() - 2);
  const auto with = [&](const std::string& entry) {
    write_file(at / "model.safetensors.index.json", begin + entry + "}}");
  };
  with(R"(,"x":"part-0.safetensors")");
  CHECK(refusal(at) ==
        "[DIR/model.safetensors.index.json] expected every listed tensor in its file, missing 1: "
        "'x in part-0.safetensors'");
  with(R"(,"x":"part-2.safetensors","y":"part-3.safetensors")");
  CHECK(refusal(at) ==
        "[DIR/model.safetensors.index.json] expected 4 files of weights, missing 2: "
        "'part-2.safetensors', 'part-3.safetensors'");
  for (const auto* name : {"../part-0.safetensors", "/etc/passwd", "..", "", "a/b"}) {
    with(R"(,"x":")" + std::string(name) + "\"");
    CHECK(refusal(at) ==
          "[DIR/model.safetensors.index.json] 'x': expected the name of a file in the index's folder, "
          "got \"" +
              std::string(name) + "\"");
  }
  with(R"(,"x":3)");
  CHECK(refusal(at).ends_with("'x': expected the name of a file in the index's folder, got 3"));
  write_file(at / "model.safetensors.index.json", R"({"weight_map":[]})");
  CHECK(refusal(at) ==
        "[DIR/model.safetensors.index.json] expected an object weight_map of tensor names and files, got none");
}
