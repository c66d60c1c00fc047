#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "text/tokenizer_class.hpp"
#include "text/tokenizer_json.hpp"
#include "text/tokenizer_settings.hpp"

/// For the .cpp files that read JSON only.
namespace summand::text {

/// The files that a folder's tokenizer was read from.
struct TokenizerOrigin {
  const TokenizerClass& chosen;
  const std::optional<JsonObject>& config;   ///< tokenizer_config.json
  const std::optional<TokenizerJson>& json;  ///< tokenizer.json
};

/// One line about surprises: what the class changes of tokenizer.json, and which keys of tokenizer_config.json it
/// ignores. Nothing if there are none.
[[nodiscard]] std::optional<std::string> describe_difference(const std::filesystem::path& directory,
                                                             const TokenizerOrigin& origin,
                                                             const TokenizerSettings& settings);

}  // namespace summand::text
