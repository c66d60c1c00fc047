#include "support/tiny_directory.hpp"

#include <unistd.h>

#include <fstream>

#include "io/safetensors_writer.hpp"
#include "support/random_model.hpp"

namespace summand::test {

TinyDirectory::TinyDirectory(const std::string& name, uint32_t seed, const model::ModelParts& parts)
    : path_(std::filesystem::temp_directory_path() / ("summand_" + name + "_" + std::to_string(::getpid()))) {
  std::filesystem::create_directories(path_);
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (char letter = 'a'; letter <= 'z'; ++letter) vocabulary += std::string(1, letter) + "\n";
  write("vocab.txt", vocabulary);
  const auto config = config_of({.positions = 24, .vocabulary = 31});
  write("config.json", model::to_json(config));
  io::write_safetensors(path_ / "model.safetensors", random_weights(config, parts, seed));
}

TinyDirectory::~TinyDirectory() {
  std::filesystem::remove_all(path_);
}

void TinyDirectory::write(const std::string& name, const std::string& content) const {
  std::filesystem::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << content;
}

}  // namespace summand::test
