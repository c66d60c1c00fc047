#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace summand {

/// Options of fold().
struct FoldOptions {
  /// Called after every file. An exception from it ends the run, which then writes nothing, and propagates.
  std::function<void()> on_step = {};
};

/// Result of fold().
struct FoldReport {
  std::filesystem::path directory;        ///< the source
  std::filesystem::path out;              ///< the new directory
  std::string composition;                ///< of the source: "concatenate_project"
  std::string positions;                  ///< position kind of the source: "sinusoidal"
  size_t parameters_before = 0;           ///< of the source
  size_t parameters_after = 0;            ///< of the result
  bool is_bert = false;                   ///< whether the result is a plain BERT, which other programs run
  std::vector<std::string> notices = {};  ///< what the directory contains and was ignored or replaced
};

/// Writes a checkpoint whose input is the plain sum of three learned tables. The model's input must be a sum of one
/// linear map per table: each row is mapped in advance, and computed positions become rows. The vectors are the same up
/// to rounding. Attention stays unchanged.
/// @param model  a directory in Hugging Face's or sentence-transformers' layout, or a name, as Model::load takes it
/// @param out  a directory that does not exist or is empty; it appears whole or not at all
/// @param options  progress callback
/// @throws IoError, CheckpointError or ConfigError as Model::load
/// @throws ConfigError also if the input is not such a sum, or a decoder is tied to a token table that would change
/// @throws IoError also if `out` is something else or cannot be written
FoldReport fold(const std::filesystem::path& model, const std::filesystem::path& out, const FoldOptions& options = {});

}  // namespace summand
