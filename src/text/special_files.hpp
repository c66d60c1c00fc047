#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_file.hpp"
#include "text/tokenizer_settings.hpp"

/// Special and added tokens in a folder's files. Only for .cpp files that read JSON.
namespace summand::text {

/// An added token with the id in its file.
struct WrittenToken {
  uint64_t id = 0;
  AddedToken token;
};

/// The tokens of all files together.
struct SpecialFiles {
  std::map<uint64_t, AddedToken> by_id;     ///< added_tokens_decoder; else added_tokens.json and tokenizer.json
  std::map<std::string, AddedToken> named;  ///< by "cls_token" and so on
  std::vector<AddedToken> model_specific;   ///< further keys that end in "_token"
  std::vector<AddedToken> extra;
};

/// @param config  tokenizer_config.json, where there is one; its added_tokens_decoder overrides all other files
/// @param of_json  the added tokens of tokenizer.json
/// @throws IoError, ConfigError
[[nodiscard]] SpecialFiles read_special_files(const std::filesystem::path& directory,
                                              const std::optional<JsonObject>& config,
                                              std::span<const WrittenToken> of_json);

/// BERT's default names, overridden by those of the files.
/// @throws ConfigError if a required token is null
[[nodiscard]] SpecialNames names_with_defaults(const std::optional<JsonObject>& config, SpecialFiles& files);

/// The names in the files. BERT's names replace missing ones, but do not become special tokens.
[[nodiscard]] SpecialNames names_without_defaults(const SpecialFiles& files);

/// Adds the tokens of the files to those that are there, in the order in which the reference adds them.
void add_tokens(const SpecialFiles& files, TokenizerSettings& settings);

}  // namespace summand::text
