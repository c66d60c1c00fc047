#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/corpus.hpp"

namespace summand::lab {

/// What is taken apart: a checkpoint, or a position table alone.
struct Subject {
  std::string name;                               ///< for people: the last part of the path
  std::filesystem::path path;                     ///< as given
  uint64_t hash = 0;                              ///< of the configuration and of every weight, or of the table
  std::shared_ptr<const api::LoadedModel> model;  ///< null with a table alone; shared by copies with other tables
  Table positions;  ///< [positions, hidden], as they lie in the file; no rows where the model has none of its own
  Table tokens;     ///< [vocabulary, hidden]; no rows with a table alone, or of a joint table
  Table segments;   ///< [segments, hidden], those that a text may get: reached_segments(); no rows with a table alone
  std::vector<Eigen::Index> reached;  ///< rows of `tokens` that a text may reach: reached_ids()
  Corpus corpus;                      ///< no sentences with a table alone
};

/// Loads a checkpoint and its corpus.
/// @param corpus  as read_corpus() takes it
/// @throws Error of whatever cannot be read; ConfigError if the model takes less than 3 positions
[[nodiscard]] Subject load_subject(const std::string& model, const std::optional<std::filesystem::path>& corpus,
                                   int threads);

/// Loads a position table alone: FILE.npy, or FILE.safetensors:TENSOR.
/// @throws IoError, ConfigError, CheckpointError; UsageError for another kind of file, or a tensor that is not named:
///   it lists the matrices of the file that are named most like it
[[nodiscard]] Subject load_table(const std::string& file);

}  // namespace summand::lab
