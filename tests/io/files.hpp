#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "model/parameters.hpp"

namespace summand::io::test {

namespace fs = std::filesystem;

/// A fresh directory, removed with everything in it at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (fs::temp_directory_path() / "summand-io-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Gives up root's rights for a while, so that permissions mean something. Make directories after it.
class Unprivileged {
 public:
  Unprivileged() {
    if (::geteuid() == 0) REQUIRE(::seteuid(kNobody) == 0);
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  ~Unprivileged() { static_cast<void>(::seteuid(::getuid())); }

 private:
  static constexpr uid_t kNobody = 65534;
};

inline void write_file(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  fs::remove(path);  // a file cut and filled again would be brought to the disk at once by some file systems
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The bytes of a safetensors file, right or wrong: the header's length, the header, the data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + header + data;
}

/// A tensor for safetensors_bytes(); the data as it lies in the file.
struct RawTensor {
  std::string name;
  std::string dtype;
  std::vector<size_t> shape;
  std::string data;
};

inline RawTensor floats(std::string name, std::vector<size_t> shape, const std::vector<float>& values) {
  std::string data(values.size() * sizeof(float), '\0');
  if (!values.empty()) std::memcpy(data.data(), values.data(), data.size());
  return {std::move(name), "F32", std::move(shape), std::move(data)};
}

inline std::string safetensors_bytes(const std::vector<RawTensor>& tensors) {
  std::string header = "{";
  std::string data;
  for (const auto& tensor : tensors) {
    std::string shape;
    for (const size_t size : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(size);
    if (header.size() > 1) header += ",";
    header += "\"" + tensor.name + "\":{\"dtype\":\"" + tensor.dtype + "\",\"shape\":[" + shape +
              "],\"data_offsets\":[" + std::to_string(data.size()) + "," +
              std::to_string(data.size() + tensor.data.size()) + "]}";
    data += tensor.data;
  }
  return safetensors_bytes(header + "}", data);
}

inline std::string tiny_config_json() {
  return R"({"model_type":"bert","vocab_size":7,"hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,)"
         R"("intermediate_size":6,"max_position_embeddings":5,"type_vocab_size":2,"hidden_act":"gelu"})";
}

/// Every parameter of the tiny model, element i of each being i/8.
inline std::vector<RawTensor> tiny_tensors(model::Pooler pooler = model::Pooler::present) {
  std::vector<RawTensor> tensors;
  for (const auto& parameter :
       model::parameters(model::parse_config(tiny_config_json(), "tiny").config, {.pooler = pooler})) {
    std::vector<float> values(model::elements(parameter));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 8;
    tensors.push_back(floats(parameter.name, parameter.shape, values));
  }
  return tensors;
}

inline RawTensor& named(std::vector<RawTensor>& tensors, const std::string& name) {
  for (auto& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::out_of_range(name);
}

/// Writes a checkpoint directory that loads.
inline void write_tiny(const fs::path& directory, const std::vector<RawTensor>& tensors = tiny_tensors()) {
  write_file(directory / "config.json", tiny_config_json());
  write_file(directory / "model.safetensors", safetensors_bytes(tensors));
}

/// The message of the error that a call ends with, or "" if it ends well.
template <class Error, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace summand::io::test
