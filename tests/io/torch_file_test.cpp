#include "io/torch_file.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "io/allocated_bytes.hpp"
#include "io/checkpoint.hpp"
#include "io/files.hpp"
#include "io/torch_archive.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

const std::string kSix = floats_as_bytes({0, 1, 2, 3, 4, 5});

SafetensorsFile read(const std::string& bytes) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "pytorch_model.bin", bytes);
  return read_torch_file(directory.path() / "pytorch_model.bin");
}

/// The message without the file's name.
std::string refusal(const std::string& bytes) {
  try {
    static_cast<void>(read(bytes));
  } catch (const CheckpointError& error) {
    return std::string(error.message());
  }
  return "accepted";
}

std::vector<float> values(const SafetensorsFile& file, const std::string& name) {
  return model::to_floats(file.tensors.at(name));
}

/// One tensor "a" of six floats.
std::string bytes_of(const std::string& tensor) {
  return torch_bytes(dictionary({{"a", tensor}}), {{"0", kSix}});
}

/// What a pickle that is refused says after its place.
std::string refusal_of_pickle(const std::string& pickle) {
  const std::string message = refusal(torch_bytes(pickle, {{"0", kSix}}));
  const size_t colon = message.find(": ");
  REQUIRE(message.starts_with("data.pkl, byte "));
  return message.substr(colon + 2);
}

}  // namespace

TEST_CASE("tensors of a torch file are read where they lie, also those that share their numbers") {
  const auto file = read(torch_bytes(dictionary({{"whole", tensor(storage("0", 6), 0, {2, 3}, {3, 1})},
                                                 {"end", tensor(storage("0", 6), 4, {2}, {1})},
                                                 {"scalar", tensor(storage("0", 6), 5, {}, {})},
                                                 {"none", tensor(storage("0", 6), 6, {0, 3}, {3, 1})}}),
                                     {{"0", kSix}}));
  CHECK(file.tensors.at("whole").shape == std::vector<size_t>{2, 3});
  CHECK(values(file, "whole") == std::vector<float>{0, 1, 2, 3, 4, 5});
  CHECK(values(file, "end") == std::vector<float>{4, 5});
  CHECK(values(file, "scalar") == std::vector<float>{5});
  CHECK(values(file, "none").empty());
  CHECK(file.tensors.at("end").bytes.data() == file.tensors.at("whole").bytes.data() + 16);
}

TEST_CASE("a tensor whose numbers do not lie in its order is put into it") {
  const auto file = read(torch_bytes(dictionary({{"turned", tensor(storage("0", 6), 0, {3, 2}, {1, 3})},
                                                 {"every second", tensor(storage("0", 6), 1, {3}, {2})},
                                                 {"repeated", tensor(storage("0", 6), 2, {2, 2}, {0, 1})},
                                                 {"size one", tensor(storage("0", 6), 0, {1, 6}, {77, 1})}}),
                                     {{"0", kSix}}));
  CHECK(values(file, "turned") == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(values(file, "every second") == std::vector<float>{1, 3, 5});
  CHECK(values(file, "repeated") == std::vector<float>{2, 3, 2, 3});
  CHECK(values(file, "size one") == std::vector<float>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("every element type has its name, and those that are not computed with are listed") {
  const auto file = read(torch_bytes(dictionary({{"half", tensor(storage("0", 4, "HalfStorage"), 0, {4}, {1})},
                                                 {"bf16", tensor(storage("0", 4, "BFloat16Storage"), 0, {4}, {1})},
                                                 {"long", tensor(storage("0", 1, "LongStorage"), 0, {1}, {1})},
                                                 {"char", tensor(storage("0", 8, "CharStorage"), 0, {8}, {1})},
                                                 {"double", tensor(storage("0", 1, "DoubleStorage"), 0, {1}, {1})},
                                                 {"bool", tensor(storage("0", 8, "BoolStorage"), 0, {2, 4}, {4, 1})}}),
                                     {{"0", std::string(8, '\1')}}));
  CHECK(file.tensors.at("half").dtype == model::DType::f16);
  CHECK(file.tensors.at("bf16").dtype == model::DType::bf16);
  CHECK(file.tensors.at("long").dtype == model::DType::i64);
  CHECK(file.tensors.at("char").dtype == model::DType::i8);
  CHECK(file.unsupported.at("double") == "F64 [1]");
  CHECK(file.unsupported.at("bool") == "BOOL [2, 4]");
}

TEST_CASE("of a pickle no code is run: what is no dictionary of tensors is refused by its name") {
  const std::string end = "is not part of a dictionary of tensors, and no code of a pickle is run";
  CHECK(refusal_of_pickle("\x80\x02"
                          "cos\nsystem\n(" +
                          text("true") + "tR.") == "'os.system' " + end);
  CHECK(refusal_of_pickle("\x80\x04" + text("posix") + text("system") + "\x93.") == "'posix.system' " + end);
  CHECK(refusal_of_pickle("\x80\x02"
                          "ctorch\nQInt8Storage\n.") == "'torch.QInt8Storage' " + end);
  CHECK(refusal_of_pickle("\x80\x02)\x81.") == "opcode NEWOBJ " + end);
  CHECK(refusal_of_pickle("\x80\x02(ios\nsystem\n.") == "opcode INST " + end);
  CHECK(refusal_of_pickle("\x80\x02\xff.") == "opcode 0xff " + end);
  CHECK(refusal_of_pickle(dictionary({{"epoch", number(3)}})) == "'epoch': expected a tensor, got an integer");
  CHECK(refusal_of_pickle(dictionary({{"model", "}"}})) == "'model': expected a tensor, got a dictionary");
  CHECK(refusal_of_pickle("\x80\x02].") == "expected a dictionary of tensors, got a list");
  CHECK(refusal_of_pickle("\x80\x02}" + number(1) + "b" + "NNs.") == "expected a string, got None");
}

TEST_CASE("a malformed pickle is refused") {
  CHECK(refusal_of_pickle("") == "the pickle ends early");
  CHECK(refusal_of_pickle("\x80\x02X\xff\xff\xff\x7f") == "the pickle ends early");
  CHECK(refusal_of_pickle("\x80\x02"
                          "cos") == "the pickle ends early");
  CHECK(refusal_of_pickle("\x80\x02.") == "expected a value on the stack, got none");
  CHECK(refusal_of_pickle("\x80\x02}(s.") == "expected a value on the stack, got none");
  CHECK(refusal_of_pickle("\x80\x02u.") == "expected a mark on the stack, got none");
  CHECK(refusal_of_pickle("\x80\x02}(Nu.") == "expected keys and values, got a key alone");
  CHECK(refusal_of_pickle("\x80\x02h\x05.") == "expected a value remembered as 5, got none");
  CHECK(refusal_of_pickle("\x80\x02]NNs.") == "expected a dictionary, got a list");
  CHECK(refusal_of_pickle("\x80\x02NQ.") == "expected a tuple, got None");
  CHECK(refusal_of_pickle("\x80\x02)Q.") == "expected a reference to a storage, got another one");
  CHECK(refusal_of_pickle(dictionary({{"a", tensor(storage("0", 6), -1, {1}, {1})}})) ==
        "expected a number of at least 0, got -1");
  CHECK(refusal_of_pickle(dictionary({{"a", tensor(storage("0", 6), 0, {1, 2}, {1})}})) == "expected 2 strides, got 1");
}

TEST_CASE("a container that holds itself ends") {
  // Remembered, and then a value of its own.
  CHECK(refusal_of_pickle("\x80\x02}q\x01" + text("a") + "h\x01s.") == "'a': expected a tensor, got a dictionary");
}

TEST_CASE("numbers that a tensor has not are refused") {
  const std::string others = "'a': expected elements among the 6 of its storage, got others";
  CHECK(refusal(bytes_of(tensor(storage("0", 6), 0, {7}, {1}))) == others);
  CHECK(refusal(bytes_of(tensor(storage("0", 6), 6, {1}, {1}))) == others);
  CHECK(refusal(bytes_of(tensor(storage("0", 6), 7, {0}, {1}))) == others);
  CHECK(refusal(bytes_of(tensor(storage("0", 6), 0, {2, 3}, {4, 1}))) == others);
  const int32_t large = 2147483647;
  CHECK(refusal(bytes_of(tensor(storage("0", 6), 0, {large, large, large}, {large, large, large}))) == others);
  CHECK(refusal(bytes_of(tensor(storage("0", 7), 0, {7}, {1}))) ==
        "'a': expected 7 elements of 4 bytes in 'data/0', got 24 bytes");
  CHECK(refusal(bytes_of(tensor(storage("1", 6), 0, {6}, {1}))) ==
        "'a': expected its numbers in 'data/1' of the archive, got none");
}

TEST_CASE("a small file takes no more memory than its like, whatever it says") {
  const int32_t large = 1 << 30;
  const std::string expanded = bytes_of(tensor(storage("0", 6), 0, {large}, {0}));
  std::string values;
  for (int i = 0; i < 600'000; ++i) values += "]";
  for (const auto& [bytes, message] : std::vector<std::pair<std::string, std::string>>{
           {expanded, "'a': expected tensors that lie in their order, or whose copies take no more than the file has"},
           {torch_bytes("\x80\x02" + values, {}), "data.pkl, byte 524291: expected at most 524288 values, got more"}}) {
    const size_t before = allocated_bytes();
    CHECK(refusal(bytes) == message);
    CHECK(allocated_bytes() - before < (size_t{128} << 20));
  }
}

TEST_CASE("an archive that is not torch's, or damaged, is refused") {
  const std::string whole = bytes_of(tensor(storage("0", 6), 0, {6}, {1}));
  CHECK(refusal(whole) == "accepted");
  for (const size_t cut : {size_t{1}, size_t{21}, size_t{100}}) {
    CHECK(refusal(whole.substr(0, whole.size() - cut)) ==
          "expected a zip archive's list of files at its end, got none: the file is cut or damaged");
  }
  CHECK(refusal(zip_bytes({{"a/b", "c"}})) ==
        "expected an archive of torch's, with a data.pkl, got another zip archive");
  CHECK(refusal(zip_bytes({{"a/data.pkl", "c"}}, 8)) ==
        "'a/data.pkl': expected a stored file, as torch writes it, got a compressed one");
  CHECK(refusal(zip_bytes({{"a/data.pkl", "c"}, {"a/data.pkl", "c"}})) ==
        "'a/data.pkl': expected each file once, got it twice");
  CHECK(refusal(zip_bytes({{"a/data.pkl", "."}, {"a/byteorder", "big"}})) == "byteorder: expected 'little', got 'big'");
  std::string far = whole;
  far.replace(far.size() - 6, 4, "\xf0\xff\xff\x7f");
  CHECK(refusal(far).starts_with("the archive ends early: expected 46 bytes at byte 2147483632"));
  CHECK(refusal("not a zip archive at all") ==
        "expected a zip archive, as torch.save writes it, got a file that begins with 'not a zip archiv'");
  CHECK(refusal(std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15) + std::string(40, 'x'))
            .starts_with("expected a zip archive, as torch.save writes it since version 1.6, got the older format"));
}

TEST_CASE("a checkpoint loads from pytorch_model.bin alone, and from several such files") {
  const TemporaryDirectory directory;
  write_file(directory.path() / "config.json", tiny_config_json());
  std::vector<std::pair<std::string, std::string>> entries;
  std::vector<std::pair<std::string, std::string>> storages;
  std::string map;
  for (const auto& one : tiny_tensors()) {
    const std::string key = std::to_string(storages.size());
    std::vector<int32_t> sizes(one.shape.begin(), one.shape.end());
    const std::vector<int32_t> strides =
        sizes.size() == 2 ? std::vector<int32_t>{sizes[1], 1} : std::vector<int32_t>{1};
    entries.emplace_back("bert." + one.name,
                         tensor(storage(key, static_cast<int32_t>(one.data.size() / 4)), 0, sizes, strides));
    storages.emplace_back(key, one.data);
    map += (map.empty() ? "" : ",") + std::string("\"bert.") + one.name + R"(":"pytorch_model-00001-of-00001.bin")";
  }
  const std::string bytes = torch_bytes(dictionary(entries), storages);
  write_file(directory.path() / "pytorch_model.bin", bytes);
  const auto one = load_checkpoint(directory.path());
  CHECK(model::to_floats(one.weights.at("encoder.layer.0.output.dense.bias")) ==
        std::vector<float>{0, 0.125F, 0.25F, 0.375F});
  CHECK(one.notices.empty());
  fs::rename(directory.path() / "pytorch_model.bin", directory.path() / "pytorch_model-00001-of-00001.bin");
  write_file(directory.path() / "pytorch_model.bin.index.json", "{\"weight_map\":{" + map + "}}");
  CHECK(load_checkpoint(directory.path()).weights.size() == one.weights.size());
}
