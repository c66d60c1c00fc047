#pragma once

#include "io/sentence_transformers.hpp"

namespace summand::io {

/// Reads sentence_bert_config.json (or one of its older names) in the transformer's folder, and the tokenizer's own
/// limit: max_seq_length and do_lower_case of `loaded`.
/// @throws ConfigError if a setting is malformed or changes the result in a way that this program cannot follow
/// Source: sentence-transformers 6.2, base/modules/transformer.py
void read_transformer_settings(const ModuleList& list, const model::Config& config, LoadedSentenceModules& loaded);

/// Reads config_sentence_transformers.json: prompts, the default prompt, truncate_dim, similarity_fn_name.
/// @throws ConfigError if a setting is malformed or the default prompt is not among the prompts
/// Source: sentence-transformers 6.2, base/model.py, _parse_model_config
void read_model_settings(const std::filesystem::path& directory, LoadedSentenceModules& loaded);

}  // namespace summand::io
