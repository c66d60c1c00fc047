#pragma once

#include <filesystem>
#include <string>

#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/weights.hpp"
#include "text/tokenizer_files.hpp"

namespace summand::train {

/// The tokenizer files of a checkpoint, with their contents.
using TokenizerContents = std::vector<std::pair<std::string, std::string>>;

/// Reads the tokenizer files that a checkpoint needs: tokenizer.json, vocab.txt (made from tokenizer.json if missing),
/// tokenizer_config.json with model_max_length set to the model's positions, and special_tokens_map.json and
/// added_tokens.json if present.
/// @throws IoError or ConfigError if tokenizer.json or tokenizer_config.json is missing or cannot be read
[[nodiscard]] TokenizerContents tokenizer_contents(const std::filesystem::path& folder, size_t positions);

/// Writes config.json, model.safetensors and the tokenizer's files into a folder: Hugging Face's layout, with the
/// prefix `bert.` for the encoder's tensors, as in BertForPreTraining and BertForMaskedLM.
/// @throws IoError if a file cannot be written
void write_checkpoint_files(const std::filesystem::path& folder, const model::Config& config,
                            const model::Weights& weights, const TokenizerContents& tokenizer);

}  // namespace summand::train
