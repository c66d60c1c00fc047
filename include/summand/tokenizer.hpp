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

/// A WordPiece tokenizer without a model: the same ids and byte offsets as Hugging Face's `tokenizers`.
///
/// Thread-safety: several threads may call const members at once. Moving, assigning and destroying need exclusive
/// access.
class Tokenizer {
 public:
  /// Reads a checkpoint's tokenizer, not its weights.
  /// @param name  a directory or a name, as Model::load takes it
  /// @throws IoError, ConfigError or UsageError, each naming the file or the name and what is wrong with it
  [[nodiscard]] static Tokenizer load(const std::filesystem::path& name);

  /// A vocabulary file with BERT's settings and special tokens.
  /// @param vocabulary  one token per line; the line number, from 0, is its id
  /// @param lowercase  whether the vocabulary is lower case
  /// @throws IoError, ConfigError
  [[nodiscard]] static Tokenizer from_vocabulary(const std::filesystem::path& vocabulary, Lowercase lowercase);

  /// Takes over another tokenizer, which can then only be assigned to or destroyed.
  Tokenizer(Tokenizer&&) noexcept;
  /// Takes over another tokenizer, which can then only be assigned to or destroyed.
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// Ids, segments and byte offsets of one text, a pair, or pre-split words. Cuts only if asked to.
  /// @throws TextError if the text cannot be cut as asked, has more than 1.4 GB, or has a word unknown to a vocabulary
  ///   without an unknown token
  [[nodiscard]] Encoding encode(const TextView& text, const TokenizeOptions& options = {}) const;

  /// encode() of each text, in order.
  /// @param texts  any number; a few short ones run on one thread
  /// @param options  as for encode()
  /// @param threads  at most, the caller included; 0: as many as the cgroup quota and the CPU affinity allow
  /// @throws TextError as encode(), for the first text that cannot be encoded
  /// @throws UsageError if `threads` is negative
  [[nodiscard]] std::vector<Encoding> encode_all(const TextList& texts, const TokenizeOptions& options = {},
                                                 int threads = 0) const;

  /// The text of the ids.
  /// @param ids  unknown ids are skipped
  /// @param special_tokens  omit leaves out special tokens
  [[nodiscard]] std::string decode(std::span<const int32_t> ids,
                                   SpecialTokens special_tokens = SpecialTokens::omit) const;

  /// The token as written in the vocabulary, valid as long as the tokenizer; empty if no token has this id.
  [[nodiscard]] std::string_view token(int32_t id) const;
  /// The id of a token, written as in the vocabulary.
  [[nodiscard]] std::optional<int32_t> token_id(std::string_view token) const;
  /// One more than the largest id.
  [[nodiscard]] size_t vocabulary_size() const;
  /// The id for unknown words: [UNK].
  [[nodiscard]] std::optional<int32_t> unknown_id() const;
  /// Settings in the files that this tokenizer does not follow, one line each.
  [[nodiscard]] std::span<const std::string> notices() const;

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace summand
