#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "api/loaded_model.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// What is taken apart: a checkpoint, or a position table alone.
struct Subject {
  std::string name;                             ///< for people: the directory's or the file's last part
  std::filesystem::path path;                   ///< as given
  uint64_t hash = 0;                            ///< of every weight and of the configuration, or of the table
  std::optional<api::LoadedModel> model;        ///< not with a table alone
  Table positions;                              ///< [positions, hidden], as they lie in the file
  Table tokens;                                 ///< [vocabulary, hidden]; empty with a table alone
  Table segments;                               ///< [segments, hidden]; empty with a table alone
  std::vector<std::vector<int32_t>> sentences;  ///< ids of the corpus' texts, special tokens included
  std::string corpus;                           ///< which: "built-in sample of 60 sentences", or the file
  uint64_t corpus_hash = 0;
};

}  // namespace summand::lab
