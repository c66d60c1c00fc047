#include <doctest/doctest.h>

#include <bit>
#include <limits>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "io/files.hpp"
#include "io/safetensors_writer.hpp"
#include "model/quantization.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;

namespace {

constexpr const char* kQuery = "encoder.layer.0.attention.self.query.weight";
constexpr const char* kScale = "encoder.layer.0.attention.self.query.weight_scale";

std::string config_for(model::WeightFormat format) {
  return model::with_weight_format(tiny_config_json(), format);
}

std::string int8_config() {
  return config_for(model::WeightFormat::summand_int8);
}

/// The tiny model in 8 bits, written by hand: value i of a weight is i % 100 - 50, scale r is (r + 1) / 4.
std::vector<RawTensor> int8_tensors() {
  std::vector<RawTensor> tensors;
  const auto config = model::parse_config(int8_config(), "tiny").config;
  const auto contract = model::parameters(config, {.pooler = model::Pooler::present});
  for (size_t i = 0; i < contract.size(); ++i) {
    RawTensor tensor = tiny_tensors()[i];
    if (model::is_dense_weight(contract[i])) {
      tensor.dtype = "I8";
      tensor.data.resize(model::elements(contract[i]));
      for (size_t k = 0; k < tensor.data.size(); ++k)
        tensor.data[k] = static_cast<char>(static_cast<int>(k % 100) - 50);
      std::vector<float> scales(contract[i].shape[0]);
      for (size_t row = 0; row < scales.size(); ++row) scales[row] = static_cast<float>(row + 1) / 4;
      tensors.push_back(floats(contract[i].name + "_scale", {scales.size()}, scales));
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

void write_int8(const fs::path& directory, const std::vector<RawTensor>& tensors) {
  write_tiny(directory, tensors);
  write_file(directory / "config.json", int8_config());
}

/// The same with factors; the queries', keys' and values' of the layer are 1, 1/2, 2, 4, the others' 1.
std::vector<RawTensor> calibrated_tensors() {
  auto tensors = int8_tensors();
  const size_t plain = tensors.size();
  for (size_t i = 0; i < plain; ++i) {
    if (tensors[i].dtype != "I8") continue;
    const size_t in = tensors[i].shape.at(1);
    const bool of_attention = tensors[i].name.find("attention.self") != std::string::npos;
    tensors.push_back(floats(model::factor_name(tensors[i].name), {in},
                             of_attention ? std::vector<float>{1, 0.5F, 2, 4} : std::vector<float>(in, 1.0F)));
  }
  return tensors;
}

void write_calibrated(const fs::path& directory, const std::vector<RawTensor>& tensors) {
  write_tiny(directory, tensors);
  write_file(directory / "config.json", config_for(model::WeightFormat::summand_int8_calibrated));
}

/// The message with which the tensors are refused, the file's path left out.
std::string refusal(const std::vector<RawTensor>& tensors,
                    model::WeightFormat format = model::WeightFormat::summand_int8) {
  const TemporaryDirectory directory;
  write_tiny(directory.path(), tensors);
  write_file(directory.path() / "config.json", config_for(format));
  const auto message = message_of<CheckpointError>([&] { static_cast<void>(load_checkpoint(directory.path())); });
  const std::string place = "[" + (directory.path() / "model.safetensors").string() + "] ";
  return message.starts_with(place) ? message.substr(place.size()) : message;
}

/// The refusal of a model with one tensor changed.
template <class Change>
std::string refusal_with(const std::string& name, Change&& change) {
  auto tensors = int8_tensors();
  change(named(tensors, name));
  return refusal(tensors);
}

std::string refusal_with_scale(float scale) {
  return refusal_with(kScale, [&](RawTensor& tensor) { std::memcpy(tensor.data.data() + 4, &scale, 4); });
}

}  // namespace

TEST_CASE("a checkpoint in 8 bits is loaded with its scales, and its numbers are their products") {
  const TemporaryDirectory directory;
  write_int8(directory.path(), int8_tensors());
  const Checkpoint checkpoint = load_checkpoint(directory.path());
  CHECK(checkpoint.notices.empty());
  CHECK(checkpoint.config.config.weight_format == model::WeightFormat::summand_int8);
  CHECK(checkpoint.weights.size() == tiny_tensors().size());
  const model::Tensor& query = checkpoint.weights.at(kQuery);
  CHECK(model::describe(query) == "I8 [4, 4]");
  CHECK(query.row_scales == std::vector<float>{0.25F, 0.5F, 0.75F, 1});
  CHECK(model::to_floats(query) == std::vector<float>{-12.5F, -12.25F, -12, -11.75F, -23, -22.5F, -22, -21.5F, -31.5F,
                                                      -30.75F, -30, -29.25F, -38, -37, -36, -35});
  CHECK(checkpoint.weights.at("pooler.dense.weight").row_scales.empty());
}

TEST_CASE("the names may have the bert. prefix, scales too") {
  auto tensors = int8_tensors();
  for (auto& tensor : tensors) tensor.name = "bert." + tensor.name;
  const TemporaryDirectory directory;
  write_int8(directory.path(), tensors);
  const Checkpoint checkpoint = load_checkpoint(directory.path());
  CHECK(checkpoint.notices.empty());
  CHECK(checkpoint.weights.at(kQuery).row_scales.size() == 4);
}

TEST_CASE("weights in 8 bits are written with their scales and come back the same") {
  const TemporaryDirectory directory;
  write_int8(directory.path() / "a", int8_tensors());
  const Checkpoint first = load_checkpoint(directory.path() / "a");
  write_int8(directory.path() / "b", {});
  write_safetensors(directory.path() / "b" / "model.safetensors", first.weights);
  const Checkpoint second = load_checkpoint(directory.path() / "b");
  REQUIRE(second.weights.size() == first.weights.size());
  CHECK(second.notices.empty());
  for (const auto& [name, tensor] : first.weights) {
    CAPTURE(name);
    CHECK(std::ranges::equal(second.weights.at(name).bytes, tensor.bytes));
    CHECK(second.weights.at(name).row_scales == tensor.row_scales);
    const auto address = reinterpret_cast<std::uintptr_t>(second.weights.at(name).bytes.data());
    CHECK(address % model::size_of(tensor.dtype) == 0);
  }
}

TEST_CASE("what a weight in 8 bits lacks or has otherwise is one line") {
  auto without = int8_tensors();
  std::erase_if(without, [](const RawTensor& tensor) { return tensor.name == kScale; });
  CHECK(refusal(without) == "expected 29 parameters, missing 1: '" + std::string(kScale) + "'");
  CHECK(refusal_with(kQuery, [](RawTensor& tensor) {
          tensor = floats(kQuery, {4, 4}, std::vector<float>(16));
        }) == "'" + std::string(kQuery) + "': expected I8 [4, 4] in a checkpoint in 8 bits, got F32 [4, 4]");
  CHECK(refusal_with(kQuery, [](RawTensor& tensor) { tensor.dtype = "U8"; }) ==
        "'" + std::string(kQuery) + "': expected I8 [4, 4] in a checkpoint in 8 bits, got U8 [4, 4]");
  CHECK(refusal_with(kQuery, [](RawTensor& tensor) {
          tensor.shape = {2, 8};
        }) == "'" + std::string(kQuery) + "': expected I8 [4, 4] in a checkpoint in 8 bits, got I8 [2, 8]");
  CHECK(refusal_with(kQuery, [](RawTensor& tensor) { tensor.data[5] = '\x80'; }) ==
        "'" + std::string(kQuery) + "': expected -127 to 127 in a checkpoint in 8 bits, got -128 at element 5");
  CHECK(refusal_with(kScale, [](RawTensor& tensor) {
          tensor.shape = {4, 1};
        }) == "'" + std::string(kScale) + "': expected F32 [4] in a checkpoint in 8 bits, got F32 [4, 1]");
  CHECK(refusal_with(kScale, [](RawTensor& tensor) {
          tensor.dtype = "F64";
          tensor.data.resize(32);
        }) == "'" + std::string(kScale) + "': expected F32 [4] in a checkpoint in 8 bits, got F64 [4]");
}

TEST_CASE("a scale is a number from 0 to the largest that leaves its row finite") {
  const std::string expected = "'" + std::string(kScale) + "': expected 0 to 2.68e+36 in a checkpoint in 8 bits, got ";
  CHECK(refusal_with_scale(-0.5F) == expected + "-0.5 at element 1");
  CHECK(refusal_with_scale(std::numeric_limits<float>::infinity()) == expected + "inf at element 1");
  CHECK(refusal_with_scale(std::numeric_limits<float>::quiet_NaN()) == expected + "nan at element 1");
  CHECK(refusal_with_scale(3e36F) == expected + "3e+36 at element 1");
  CHECK(refusal_with_scale(0).empty());
  CHECK(refusal_with_scale(model::kLargestScale).empty());
}

TEST_CASE("factors are loaded with the weight, written with it, and multiply its columns") {
  const TemporaryDirectory directory;
  write_calibrated(directory.path(), calibrated_tensors());
  const Checkpoint checkpoint = load_checkpoint(directory.path());
  CHECK(checkpoint.notices.empty());
  const model::Tensor& query = checkpoint.weights.at(kQuery);
  CHECK(query.column_factors == std::vector<float>{1, 0.5F, 2, 4});
  const auto numbers = model::to_floats(query);
  CHECK(std::vector<float>(numbers.begin(), numbers.begin() + 4) == std::vector<float>{-12.5F, -6.125F, -24, -47});
  write_safetensors(directory.path() / "model.safetensors", checkpoint.weights);
  CHECK(load_checkpoint(directory.path()).weights.at(kQuery).column_factors == query.column_factors);
}

TEST_CASE("a factor that is none, of another shape, missing, or not that of its neighbours is one line") {
  const std::string name = "encoder.layer.0.output.dense.input_factor";
  const auto refused = [](const std::vector<RawTensor>& tensors) {
    return refusal(tensors, model::WeightFormat::summand_int8_calibrated);
  };
  const auto with = [&](const std::vector<float>& factors) {
    auto tensors = calibrated_tensors();
    named(tensors, name) = floats(name, {factors.size()}, factors);
    return refused(tensors);
  };
  auto whole = calibrated_tensors();
  std::vector<float> factors(named(whole, name).shape.at(0), 1.0F);
  CHECK(with(factors).empty());
  factors[2] = 0;
  CHECK(with(factors) == "'" + name + "': expected 9.09e-13 to 1.1e+12 in a checkpoint in 8 bits, got 0 at element 2");
  factors[2] = std::numeric_limits<float>::quiet_NaN();
  CHECK(with(factors).ends_with("got nan at element 2"));
  CHECK(with({1, 1, 1}).ends_with("in a checkpoint in 8 bits, got F32 [3]"));
  auto without = calibrated_tensors();
  std::erase_if(without, [&](const RawTensor& tensor) { return tensor.name == name; });
  CHECK(refused(without) == "expected 35 parameters, missing 1: '" + name + "'");
  const std::string own = "encoder.layer.0.attention.self.query.input_factor";
  auto different = calibrated_tensors();
  named(different, own) = floats(own, {4}, {1, 1, 1, 2});
  CHECK(refused(different) ==
        "'encoder.layer.0.attention.self.key.input_factor': expected the numbers of '" + own + "', got others");
}

TEST_CASE("a checkpoint that does not say that it was calibrated has no factors") {
  const TemporaryDirectory directory;
  write_int8(directory.path(), calibrated_tensors());
  const Checkpoint checkpoint = load_checkpoint(directory.path());
  CHECK(checkpoint.weights.at(kQuery).column_factors.empty());
  REQUIRE(checkpoint.notices.size() == 1);
  CHECK(checkpoint.notices[0].find("6 tensors are not part of the model and left out") != std::string::npos);
}

TEST_CASE("only the encoder's dense weights may be in 8 bits, and only where the configuration says so") {
  const std::string table = "embeddings.position_embeddings.weight";
  const auto in_8_bits = [](RawTensor& tensor) {
    tensor.dtype = "I8";
    tensor.data.resize(tensor.data.size() / 4);
  };
  CHECK(refusal_with(table, in_8_bits) == "'" + table + "': expected F32, F16 or BF16 [5, 4], got I8 [5, 4]");
  CHECK(refusal_with("pooler.dense.weight", in_8_bits) ==
        "'pooler.dense.weight': expected F32, F16 or BF16 [4, 4], got I8 [4, 4]");
  const TemporaryDirectory directory;
  write_tiny(directory.path(), int8_tensors());
  CHECK(message_of<CheckpointError>([&] {
          static_cast<void>(load_checkpoint(directory.path()));
        }).ends_with("'" + std::string(kQuery) + "': expected F32, F16 or BF16 [4, 4], got I8 [4, 4]"));
}
