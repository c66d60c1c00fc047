#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "model/parameters.hpp"
#include "model/sentence_modules.hpp"
#include "model/weights.hpp"

namespace summand::io {

/// Everything that a checkpoint directory says, checked. The weights look into mapped files: see MappedFile.
struct Checkpoint {
  std::filesystem::path directory;              ///< as given
  std::filesystem::path transformer_directory;  ///< folder of config.json, weights and tokenizer; often the same
  model::ParsedConfig config;
  model::Weights weights;  ///< exactly parameters(config.config, parts)
  model::ModelParts parts;
  model::SentenceModules sentence;    ///< the library's defaults where there is a fault
  std::exception_ptr sentence_fault;  ///< why no sentence vectors can be made, or null; see read_sentence_modules()
  std::vector<std::string> notices;   ///< one line each: what was found and left out, ignored or replaced

  /// For those who make sentence vectors. @throws the fault
  [[nodiscard]] const model::SentenceModules& sentence_modules() const;
};

/// Loads a directory in Hugging Face's or sentence-transformers' layout. Every parameter of the contract must be there
/// with its shape, in F32, F16 or BF16, with finite numbers only; where the configuration says that they are in 8 bits,
/// the weights of the encoder's dense layers in I8 with their scales. Surplus tensors make a notice, and so do those of
/// a head that find_parts() leaves out, and settings that this program cannot follow but that only sentence vectors, a
/// head or training need.
/// @throws IoError if the directory or a file cannot be read
/// @throws ConfigError if config.json is malformed or needs something unsupported
/// @throws CheckpointError if a file is missing or damaged, or does not fit the configuration: all missing parameters
///   are named
/// @param threads  at most, that look at the numbers
[[nodiscard]] Checkpoint load_checkpoint(const std::filesystem::path& directory, int threads = 1);

/// The first half of load_checkpoint: all but the weights and the parts.
/// @throws as load_checkpoint
[[nodiscard]] Checkpoint load_settings(const std::filesystem::path& directory);

/// Whether numbers are known to be finite: those of files that were loaded before, as they are.
enum class Numbers { check, known_to_be_finite };

/// The second half.
/// @param settings  of load_settings
/// @throws as load_checkpoint
[[nodiscard]] Checkpoint load_weights(Checkpoint settings, int threads, Numbers numbers = Numbers::check);

}  // namespace summand::io
