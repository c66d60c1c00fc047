#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace summand {

/// How a checkpoint is folded.
struct FoldOptions {
  /// Called after every file. What it throws ends the run, which then leaves nothing, and comes out of it.
  std::function<void()> on_step = {};
};

/// What fold() wrote.
struct FoldReport {
  std::filesystem::path directory;        ///< that was folded
  std::filesystem::path out;              ///< that was written
  std::string composition;                ///< of the model: "concatenate_project"
  std::string positions;                  ///< its kind of positions: "sinusoidal"
  size_t parameters_before = 0;           ///< of the model
  size_t parameters_after = 0;            ///< of what was written
  bool is_bert = false;                   ///< whether it is a plain BERT now, which other programs run
  std::vector<std::string> notices = {};  ///< what was found in the directory and left out, ignored or replaced
};

/// Writes a checkpoint whose input is the plain sum of three learned tables, where the model's own is a sum of one
/// linear map of each row: every row composed alone, computed positions as rows. It gives the same vectors to rounding.
/// What stands inside attention stays as it is.
/// @param model  a directory in Hugging Face's or sentence-transformers' layout, or a name, as Model::load takes it
/// @param out  a directory that does not exist or is empty; it appears whole or not at all
/// @param options  what is told of every file
/// @throws IoError, CheckpointError or ConfigError, as Model::load; ConfigError too if the model is no such sum, or a
///   decoder is tied to a token table that would change; IoError if `out` is something else or cannot be written
FoldReport fold(const std::filesystem::path& model, const std::filesystem::path& out, const FoldOptions& options = {});

}  // namespace summand
