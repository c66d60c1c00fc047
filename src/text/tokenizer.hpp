#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/encoding.hpp"
#include "text/tokenizer_settings.hpp"
#include "text/truncation.hpp"
#include "text/windows.hpp"

namespace summand::text {

using summand::SpecialTokens;

/// Whose word counts on the case of letters.
enum class Casing {
  as_written,  ///< what the tokenizer's files say
  lowercase,   ///< lower-cased in any case; accents stay as the files say (sentence-transformers' do_lower_case)
};

using EncodeOptions = TokenizeOptions;

/// Text to ids and back, as `tokenizers` 0.23.3 does it. Immutable: every member may be called by several threads.
/// Any bytes are taken as text: what is not UTF-8 reads as in Python's errors='replace', offsets count the bytes given.
class Tokenizer {
 public:
  /// Memory that is reused from text to text. One per thread.
  class Workspace;

  /// Reads `tokenizer.json` if the directory has one, else `vocab.txt`, and the other files, as AutoTokenizer of
  /// `transformers` does. Truncation and padding are left to the caller, except for the side of truncation.
  /// @throws IoError, ConfigError
  [[nodiscard]] static Tokenizer load(const std::filesystem::path& directory, Casing casing = Casing::as_written);

  /// A vocabulary with BERT's settings and special tokens, one token per line.
  /// @throws IoError, ConfigError
  [[nodiscard]] static Tokenizer from_vocabulary(const std::filesystem::path& vocab_txt, Lowercase lowercase);

  explicit Tokenizer(TokenizerSettings settings);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// @throws TextError if the text cannot be cut as asked, has more than 1.4 GB, or has a word unknown to a vocabulary
  /// without an unknown token
  [[nodiscard]] Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;

  /// Two texts as one sequence.
  /// @throws TextError, as encode()
  [[nodiscard]] Encoding encode_pair(std::string_view first, std::string_view second,
                                     const EncodeOptions& options = {}) const;

  /// Pre-split words. `words` of the result are indices in the list; offsets are within each word.
  /// @throws TextError, as encode()
  [[nodiscard]] Encoding encode_words(std::span<const std::string> words, const EncodeOptions& options = {}) const;

  /// As encode(), encode_pair() and encode_words(), but without truncation: as windows if they are too long.
  /// @return keeps a reference to this tokenizer
  /// @throws TextError, as DividedText and encode()
  [[nodiscard]] DividedText divide(std::string_view text, const WindowLimits& limits) const;
  [[nodiscard]] DividedText divide_pair(std::string_view first, std::string_view second,
                                        const WindowLimits& limits) const;
  [[nodiscard]] DividedText divide_words(std::span<const std::string> words, const WindowLimits& limits) const;

  /// As encode(), encode_pair() and encode_words(), reusing the memory of workspace and encoding, for many texts.
  void encode_into(std::string_view text, const EncodeOptions& options, Workspace& workspace, Encoding& encoding) const;
  void encode_pair_into(std::string_view first, std::string_view second, const EncodeOptions& options,
                        Workspace& workspace, Encoding& encoding) const;
  void encode_words_into(std::span<const std::string> words, const EncodeOptions& options, Workspace& workspace,
                         Encoding& encoding) const;

  /// Frees the pooled workspaces of encode(), encode_pair() and encode_words().
  void release_workspaces() const;

  /// The text of the ids; unknown ids are skipped.
  /// @param special_tokens  omit leaves out added tokens marked special
  [[nodiscard]] std::string decode(std::span<const int32_t> ids, SpecialTokens special_tokens) const;

  /// Tokens or words joined into one text as in decode().
  [[nodiscard]] std::string join(const std::vector<std::string_view>& tokens) const;

  /// The token as written; empty if no token has this id.
  [[nodiscard]] std::string_view token(int32_t id) const;
  [[nodiscard]] std::optional<int32_t> id(std::string_view token) const;

  /// One more than the largest id: the rows that a model's token table needs.
  [[nodiscard]] size_t vocabulary_size() const;

  /// Longest sequence that `tokenizer_config.json` names, in tokens.
  [[nodiscard]] std::optional<size_t> model_max_length() const;

  [[nodiscard]] std::optional<int32_t> pad_id() const;
  [[nodiscard]] std::optional<int32_t> unk_id() const;
  [[nodiscard]] std::optional<int32_t> cls_id() const;
  [[nodiscard]] std::optional<int32_t> sep_id() const;
  [[nodiscard]] std::optional<int32_t> mask_id() const;

  /// Number of special tokens added to one text.
  [[nodiscard]] size_t special_tokens_around_text() const;

  [[nodiscard]] const NormalizerSettings& normalizer() const;

  /// Prefix of a piece that continues a word: ##.
  [[nodiscard]] std::string_view continuing_prefix() const;

  /// Settings in the files that this tokenizer does not follow, one line each.
  [[nodiscard]] std::span<const std::string> notices() const;

  /// The class of `transformers` that decided how to read the folder; empty if its files name none and `config.json` is
  /// not of a BERT: tokenizer.json was then read unchanged.
  [[nodiscard]] std::string_view class_name() const;

  /// The notice to show whenever texts are read: what `transformers` changes of tokenizer.json, unlike `tokenizers`,
  /// and which settings of tokenizer_config.json have no effect.
  [[nodiscard]] const std::optional<std::string>& difference() const;

 private:
  struct Parts;
  template <class Encode>
  Encoding with_workspace(const Encode& encode) const;

  std::unique_ptr<const Parts> parts_;
};

/// Memory that Tokenizer::encode_into() and similar calls reuse; for any tokenizer and texts.
class Tokenizer::Workspace {
 public:
  Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

 private:
  friend class Tokenizer;
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace summand::text
