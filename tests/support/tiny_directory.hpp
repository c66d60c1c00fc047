#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "model/parameters.hpp"

namespace summand::test {

/// A checkpoint directory with random weights and a vocabulary of single letters, removed at the end.
class TinyDirectory {
 public:
  /// @param name  tells the directories of one process apart
  explicit TinyDirectory(const std::string& name, uint32_t seed = 1,
                         const model::ModelParts& parts = {.pooler = model::Pooler::present});
  TinyDirectory(const TinyDirectory&) = delete;
  TinyDirectory& operator=(const TinyDirectory&) = delete;
  ~TinyDirectory();

  void write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace summand::test
