#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "text/tokenizer.hpp"
#include "train/data/document_reader.hpp"

namespace summand::train {

/// Result of write_tokens().
struct TokenCounts {
  uint64_t documents = 0;
  uint64_t sentences = 0;
  uint64_t tokens = 0;
  uint64_t unknown = 0;  ///< of these, [UNK]
};

/// Tokenizes all documents and writes a folder for TokenFile::open(). The folder appears whole or not at all, and does
/// not depend on the number of threads. Memory holds some documents at a time, including the longest.
/// @param folder  does not exist, or is empty
/// @param source  identifies texts and tokenizer; stored in the folder
/// @param on_step  called now and then; its exceptions end the run and propagate
/// @throws TextError if no document has a token, and as the reader and the tokenizer
/// @throws IoError if the folder cannot be written
TokenCounts write_tokens(DocumentReader& documents, const text::Tokenizer& tokenizer,
                         const std::filesystem::path& folder, const std::string& source, int threads,
                         const std::function<void(const TokenCounts&)>& on_step = {});

}  // namespace summand::train
