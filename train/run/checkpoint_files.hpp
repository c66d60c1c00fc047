#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/weights.hpp"
#include "text/tokenizer_files.hpp"

namespace summand::train {

/// The tokenizer files of a checkpoint, with their contents.
using TokenizerContents = std::vector<std::pair<std::string, std::string>>;

/// Whether a tokenizer needs all its files, or those that it has are enough to read it.
enum class TokenizerFiles { all, that_exist };

/// Reads the tokenizer files that a checkpoint needs: tokenizer.json, vocab.txt (made from tokenizer.json if missing),
/// tokenizer_config.json with model_max_length set to the model's positions, and special_tokens_map.json and
/// added_tokens.json if present.
/// @throws IoError or ConfigError if a file cannot be read, or tokenizer.json or tokenizer_config.json is missing where
///   all are needed
[[nodiscard]] TokenizerContents tokenizer_contents(const std::filesystem::path& folder, size_t positions,
                                                   TokenizerFiles needed = TokenizerFiles::all);

/// Writes config.json, model.safetensors and the tokenizer's files into a folder: Hugging Face's layout, with the
/// prefix `bert.` for the encoder's tensors, as in BertForPreTraining and all other classes but BertModel. A file or a
/// tensor may have a folder of its own: "2_Dense/linear.weight" is `linear.weight` in 2_Dense/model.safetensors.
/// @throws IoError if a file cannot be written
void write_checkpoint_files(const std::filesystem::path& folder, const model::Config& config,
                            const model::Weights& weights, const TokenizerContents& tokenizer);

/// The weights that write_checkpoint_files() wrote, under the same names.
/// @throws IoError or CheckpointError if a file cannot be read or is damaged
[[nodiscard]] model::Weights checkpoint_weights(const std::filesystem::path& folder);

}  // namespace summand::train
