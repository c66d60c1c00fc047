#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace summand::text {

/// Tokens and their ids; ids need not be dense.
class Vocabulary {
 public:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view token) const { return std::hash<std::string_view>{}(token); }
  };
  /// BERT's largest, LaBSE's, has 501,153.
  static constexpr size_t kMostTokens = size_t{1} << 19;

  using Map = std::unordered_map<std::string, int32_t, Hash, std::equal_to<>>;

  /// @throws ConfigError naming `where` if an id is negative, too large, or belongs to two tokens, or if there are too
  /// many
  Vocabulary(Map tokens, std::string_view where);

  /// One token per line, the line number is its id; of a token that stands twice the last line counts. White space at
  /// the end of a line is no part of the token.
  /// @throws IoError; ConfigError naming the line that is not UTF-8, or if the file is JSON
  [[nodiscard]] static Vocabulary read(const std::filesystem::path& vocab_txt);

  Vocabulary(Vocabulary&&) noexcept = default;
  Vocabulary& operator=(Vocabulary&&) noexcept = default;
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;
  ~Vocabulary() = default;

  [[nodiscard]] const Map& tokens() const { return ids_; }
  [[nodiscard]] std::optional<int32_t> id(std::string_view token) const;

  /// The token, or nothing where no token has the id. Valid as long as the vocabulary.
  [[nodiscard]] std::optional<std::string_view> token(int32_t id) const;

 private:
  struct Numbered {
    int32_t id;
    const std::string* token;  ///< a key of ids_
  };

  Map ids_;
  std::vector<Numbered> tokens_;  ///< in the order of their ids; as many as tokens, however large an id is
};

}  // namespace summand::text
