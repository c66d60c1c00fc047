#pragma once

#include <filesystem>
#include <string>

#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/weights.hpp"
#include "text/tokenizer_files.hpp"

namespace summand::train {

/// The files of a tokenizer, as a checkpoint has them beside its weights, each with its content.
using TokenizerContents = std::vector<std::pair<std::string, std::string>>;

/// Reads the files of a tokenizer's folder that a checkpoint takes with it: tokenizer.json, vocab.txt (made from
/// tokenizer.json where there is none), tokenizer_config.json, in which model_max_length becomes the positions that the
/// model has, and special_tokens_map.json and added_tokens.json where they are there.
/// @throws IoError or ConfigError if tokenizer.json or tokenizer_config.json is not there or cannot be read
[[nodiscard]] TokenizerContents tokenizer_contents(const std::filesystem::path& folder, size_t positions);

/// Writes config.json, model.safetensors and the tokenizer's files into a folder: Hugging Face's layout, its names with
/// `bert.` in front of the encoder's, as BertForPreTraining and BertForMaskedLM have them.
/// @throws IoError if a file cannot be written
void write_checkpoint_files(const std::filesystem::path& folder, const model::Config& config,
                            const model::Weights& weights, const TokenizerContents& tokenizer);

}  // namespace summand::train
