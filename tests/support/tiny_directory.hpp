#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/safetensors_writer.hpp"
#include "support/random_model.hpp"

namespace summand::test {

/// A checkpoint directory with random weights and a vocabulary of single letters, removed at the end.
class TinyDirectory {
 public:
  /// @param name  tells the directories of one process apart
  explicit TinyDirectory(const std::string& name, uint32_t seed = 1,
                         const model::ModelParts& parts = {.pooler = model::Pooler::present})
      : path_(std::filesystem::temp_directory_path() / ("summand_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (char letter = 'a'; letter <= 'z'; ++letter) vocabulary += std::string(1, letter) + "\n";
    write("vocab.txt", vocabulary);
    const auto config = config_of({.positions = 24, .vocabulary = 31});
    write("config.json", model::to_json(config));
    io::write_safetensors(path_ / "model.safetensors", random_weights(config, parts, seed));
  }
  TinyDirectory(const TinyDirectory&) = delete;
  TinyDirectory& operator=(const TinyDirectory&) = delete;
  ~TinyDirectory() { std::filesystem::remove_all(path_); }

  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
  }
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace summand::test
