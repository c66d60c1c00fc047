#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/range.hpp"
#include "io/mapped_file.hpp"

namespace summand::train {

/// Names of the files in a folder of tokens, docs/pretraining.md: little-endian, without headers.
inline constexpr std::string_view kTokenIds = "ids.bin";            ///< [tokens] of `id_bytes` each
inline constexpr std::string_view kSpaceBits = "spaces.bin";        ///< one bit per token, lowest bit of a byte first
inline constexpr std::string_view kSentenceEnds = "sentences.bin";  ///< [sentences] uint64, in tokens
inline constexpr std::string_view kDocumentEnds = "documents.bin";  ///< [documents] uint64, in sentences
inline constexpr std::string_view kTokenIndex = "index.json";       ///< counts, `id_bytes`, and hashes
inline constexpr uint64_t kTokenFileVersion = 1;

/// The tokens of many documents in mapped files. No special tokens are added; a text may contain some.
class TokenFile {
 public:
  /// Opens a folder made by write_tokens() and verifies its hashes.
  /// @throws IoError if a file cannot be read
  /// @throws TextError if a file is damaged: naming it, what was expected and what was got
  /// @param vocabulary  ids are below it
  [[nodiscard]] static TokenFile open(const std::filesystem::path& folder, size_t vocabulary);

  [[nodiscard]] uint64_t tokens() const { return tokens_; }
  [[nodiscard]] uint64_t sentences() const { return sentences_; }
  [[nodiscard]] uint64_t documents() const { return documents_; }
  /// Number of [UNK] tokens.
  [[nodiscard]] uint64_t unknown() const { return unknown_; }
  /// The hash of the texts and the tokenizer it was made from.
  [[nodiscard]] const std::string& source() const { return source_; }

  [[nodiscard]] int32_t id(uint64_t token) const;
  /// Whether the token follows a space in the text, or starts it.
  [[nodiscard]] bool follows_space(uint64_t token) const;
  /// Tokens of a sentence; may be empty.
  [[nodiscard]] Range sentence(uint64_t index) const;
  /// The sentence of a token.
  [[nodiscard]] uint64_t sentence_of(uint64_t token) const;
  /// Sentences of a document.
  [[nodiscard]] Range document(uint64_t index) const;

 private:
  TokenFile() = default;

  std::shared_ptr<const io::MappedFile> ids_, spaces_, sentence_ends_, document_ends_;  // mapped on reading
  size_t id_bytes_ = 0;
  uint64_t tokens_ = 0;
  uint64_t sentences_ = 0;
  uint64_t documents_ = 0;
  uint64_t unknown_ = 0;
  std::string source_;
};

}  // namespace summand::train
