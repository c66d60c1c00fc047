#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_file.hpp"
#include "text/special_files.hpp"
#include "text/tokenizer_settings.hpp"

namespace summand::text {

/// tokenizer.json, the file of `tokenizers`, part by part: no part is read before it is asked for.
/// For the .cpp files that read JSON only. Every member throws ConfigError naming the place and what it cannot honour.
class TokenizerJson {
 public:
  /// @throws IoError, ConfigError; ConfigError if the model is not WordPiece
  explicit TokenizerJson(const std::filesystem::path& path);

  [[nodiscard]] const JsonObject& file() const { return file_; }
  [[nodiscard]] Vocabulary vocabulary() const;
  [[nodiscard]] WordPieceSettings word_piece() const;
  [[nodiscard]] NormalizerSettings normalizer() const;
  [[nodiscard]] WordSplit word_split() const;
  [[nodiscard]] SpecialTemplates templates() const;
  [[nodiscard]] std::optional<DecoderSettings> decoder() const;
  [[nodiscard]] std::vector<WrittenToken> added_tokens() const;
  /// Notices about the file's padding and truncation, which are not applied here.
  [[nodiscard]] std::optional<std::string> padding_token() const;
  [[nodiscard]] std::optional<std::string> truncation_direction() const;

 private:
  TokenizerJson(std::string where, JsonWithMembers read);

  JsonObject file_;
  std::vector<JsonMember> members_;  ///< of the vocabulary, which file_ lacks
};

}  // namespace summand::text
