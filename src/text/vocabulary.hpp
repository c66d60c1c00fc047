#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace summand::text {

/// Tokens and their ids; ids need not be dense.
class Vocabulary {
 public:
  /// BERT's largest, LaBSE's, has 501,153.
  static constexpr size_t kMostTokens = size_t{1} << 19;

  struct Token {
    std::string_view text;
    int32_t id = 0;
  };

  /// @param tokens  the last of duplicates counts; copied
  /// @throws ConfigError naming `where` if an id is negative, too large, or belongs to two tokens, or if there are too
  /// many
  Vocabulary(std::span<const Token> tokens, std::string_view where);

  /// One token per line; the line number is its id; the last of duplicates counts. Trailing white space is not part of
  /// the token.
  /// @throws IoError; ConfigError naming the line that is not UTF-8, or if the file is JSON
  [[nodiscard]] static Vocabulary read(const std::filesystem::path& vocab_txt);

  Vocabulary(Vocabulary&&) noexcept = default;
  Vocabulary& operator=(Vocabulary&&) noexcept = default;
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;
  ~Vocabulary() = default;

  /// In the order of their bytes.
  [[nodiscard]] std::span<const Token> tokens() const { return tokens_; }
  [[nodiscard]] std::optional<int32_t> id(std::string_view token) const;

  /// The token, or nothing if no token has this id. Valid as long as the vocabulary.
  [[nodiscard]] std::optional<std::string_view> token(int32_t id) const;

 private:
  void index_ids(std::span<const uint32_t> given_at, std::string_view where);

  std::vector<char> bytes_;      ///< of all tokens, one behind the other
  std::vector<Token> tokens_;    ///< in byte order; their text is in bytes_
  std::vector<uint32_t> by_id_;  ///< places in tokens_, in the order of their ids; as many, however large an id is
};

}  // namespace summand::text
