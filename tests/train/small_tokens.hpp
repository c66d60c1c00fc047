#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "text/tokenizer.hpp"
#include "text/tokenizer_files.hpp"

namespace summand::test {

namespace fs = std::filesystem;

/// A folder that goes with its owner.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("summand_train_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] const fs::path& path() const { return path_; }
  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  fs::path path_;
};

/// A lower-casing tokenizer of these tokens, by id.
inline text::Tokenizer tokenizer_of(const std::vector<std::string>& tokens, const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& [name, content] : text::tokenizer_files(tokens, Lowercase::yes)) {
    std::ofstream(folder / name, std::ios::binary) << content;
  }
  return text::Tokenizer::load(folder);
}

/// Words a to z, ##1 to ##9, and two Chinese characters.
inline text::Tokenizer small_tokenizer(const fs::path& folder) {
  std::vector<std::string> tokens(text::kSpecialTokens.begin(), text::kSpecialTokens.end());
  for (char letter = 'a'; letter <= 'z'; ++letter) tokens.emplace_back(1, letter);
  for (char digit = '1'; digit <= '9'; ++digit) tokens.push_back(std::string("##") + digit);
  tokens.insert(tokens.end(), {"中", "文"});
  return tokenizer_of(tokens, folder);
}

}  // namespace summand::test
