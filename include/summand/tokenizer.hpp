#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summand/text.hpp"
#include "summand/tokens.hpp"

namespace summand {

/// A WordPiece tokenizer without a model's weights: the ids and byte offsets of Hugging Face's `tokenizers`.
///
/// Thread-safety: every const member may be called from several threads at once. Moving, assigning and destroying need
/// the object for themselves, as usual.
class Tokenizer {
 public:
  /// Reads a checkpoint's tokenizer and nothing else of it.
  /// @param name  a directory or a name, as Model::load takes it
  /// @throws IoError, ConfigError or UsageError, each naming the file or the name and what is wrong with it
  [[nodiscard]] static Tokenizer load(const std::filesystem::path& name);

  /// A vocabulary with BERT's settings and special tokens.
  /// @param vocabulary  a file with one token per line; its line, from 0, is a token's id
  /// @param lowercase  whether its words are lower case
  /// @throws IoError, ConfigError
  [[nodiscard]] static Tokenizer from_vocabulary(const std::filesystem::path& vocabulary, Lowercase lowercase);

  /// Takes over another tokenizer, which can then only be assigned to or destroyed.
  Tokenizer(Tokenizer&&) noexcept;
  /// Takes over another tokenizer, which can then only be assigned to or destroyed.
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// Ids, segments and byte offsets of one text, a pair, or words already split. Nothing is cut unless asked.
  /// @throws TextError if the text cannot be cut as asked, has more than 1.4 GB, or has a word unknown to a vocabulary
  ///   without an unknown token
  [[nodiscard]] Encoding encode(const TextView& text, const TokenizeOptions& options = {}) const;

  /// encode() of each text, in their order.
  /// @param texts  of any number; few short ones are not worth a second thread
  /// @param options  as of encode()
  /// @param threads  at most this many take part, the caller among them; 0: what the cgroup quota and the affinity
  /// allow
  /// @throws TextError as encode(), of the first text that cannot be encoded
  /// @throws UsageError if `threads` is negative
  [[nodiscard]] std::vector<Encoding> encode_all(const TextList& texts, const TokenizeOptions& options = {},
                                                 int threads = 0) const;

  /// The text of the ids.
  /// @param ids  those that no token has are skipped
  /// @param special_tokens  omit leaves out special tokens
  [[nodiscard]] std::string decode(std::span<const int32_t> ids,
                                   SpecialTokens special_tokens = SpecialTokens::omit) const;

  /// The token as the vocabulary writes it, valid as long as the tokenizer; empty where no token has the id.
  [[nodiscard]] std::string_view token(int32_t id) const;
  /// The id of a token as the vocabulary writes it.
  [[nodiscard]] std::optional<int32_t> token_id(std::string_view token) const;
  /// One more than the largest id.
  [[nodiscard]] size_t vocabulary_size() const;
  /// The id that stands for words which the vocabulary does not have: [UNK].
  [[nodiscard]] std::optional<int32_t> unknown_id() const;
  /// What the files ask for and this tokenizer does not do, one line each.
  [[nodiscard]] std::span<const std::string> notices() const;

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace summand
