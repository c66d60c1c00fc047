#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/json_file.hpp"

/// Which class of `transformers` reads a folder's tokenizer. For the .cpp files that read JSON only.
namespace summand::text {

/// What a class reads from the folder.
enum class TokenizerSource {
  bert_settings,          ///< the vocabulary; how texts are split comes from tokenizer_config.json or BERT's defaults
  tokenizer_json,         ///< all that tokenizer.json says
  json_with_bert_tokens,  ///< how tokenizer.json splits texts; around them the class and separator tokens as BERT's
};

struct TokenizerClass {
  TokenizerSource source = TokenizerSource::bert_settings;
  std::string name;            ///< its name in `transformers`; empty if that finds none
  bool tells_segments = true;  ///< whether the second of two texts is in segment 1, unless model_input_names denies it
  bool reads_casing = true;    ///< whether do_lower_case counts; else texts are lower-cased
};

enum class TokenizerFiles { with_tokenizer_json, vocabulary_alone };

/// The class that AutoTokenizer takes: the one that tokenizer_config.json names, else the one that config.json names,
/// else BERT's if config.json is of a BERT, else the one that reads tokenizer.json as it stands.
/// @param config  tokenizer_config.json, where there is one
/// @throws ConfigError naming the file and the key, if either file names a tokenizer that does not split texts into
/// words as BERT's, or code of its own
/// Source: AutoTokenizer of transformers 5.24
[[nodiscard]] TokenizerClass tokenizer_class(const std::filesystem::path& directory,
                                             const std::optional<JsonObject>& config, TokenizerFiles files);

}  // namespace summand::text
