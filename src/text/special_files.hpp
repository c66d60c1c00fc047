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

/// What a folder's files say of special and added tokens. For the .cpp files that read JSON only.
namespace summand::text {

/// An added token, and the id that its file gives it.
struct WrittenToken {
  uint64_t id = 0;
  AddedToken token;
};

/// What all files together say.
struct SpecialFiles {
  std::map<uint64_t, AddedToken> by_id;     ///< added_tokens_decoder; else added_tokens.json and tokenizer.json
  std::map<std::string, AddedToken> named;  ///< by "cls_token" and so on
  std::vector<AddedToken> model_specific;   ///< further keys that end in "_token"
  std::vector<AddedToken> extra;
};

/// @param config  tokenizer_config.json, where there is one; its added_tokens_decoder makes all other files count for
/// nothing
/// @param of_json  the added tokens of tokenizer.json
/// @throws IoError, ConfigError
[[nodiscard]] SpecialFiles read_special_files(const std::filesystem::path& directory,
                                              const std::optional<JsonObject>& config,
                                              std::span<const WrittenToken> of_json);

/// The names BERT has without any file, then those of the files, which get BERT's where they have none.
/// @throws ConfigError if a token that texts cannot do without is null
[[nodiscard]] SpecialNames names_with_defaults(const std::optional<JsonObject>& config, SpecialFiles& files);

/// The names that the files give. BERT's stand for the others, but are no special tokens by that.
[[nodiscard]] SpecialNames names_without_defaults(const SpecialFiles& files);

/// Adds the tokens of the files to those that are there, in the order in which the reference adds them.
void add_tokens(const SpecialFiles& files, TokenizerSettings& settings);

}  // namespace summand::text
