#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "text/tokenizer_class.hpp"
#include "text/tokenizer_json.hpp"
#include "text/tokenizer_settings.hpp"

/// For the .cpp files that read JSON only.
namespace summand::text {

/// What a folder's tokenizer was read from.
struct TokenizerOrigin {
  const TokenizerClass& chosen;
  const std::optional<JsonObject>& config;   ///< tokenizer_config.json
  const std::optional<TokenizerJson>& json;  ///< tokenizer.json
};

/// One line for whoever expects tokenizer.json alone, or every key of tokenizer_config.json, to count: what the class
/// changes of the one, and what it passes over of the other. Nothing where there is no such thing.
[[nodiscard]] std::optional<std::string> difference_of(const std::filesystem::path& directory,
                                                       const TokenizerOrigin& origin,
                                                       const TokenizerSettings& settings);

}  // namespace summand::text
