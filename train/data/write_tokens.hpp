#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "text/tokenizer.hpp"
#include "train/data/document_reader.hpp"

namespace summand::train {

/// What write_tokens() read and wrote.
struct TokenCounts {
  uint64_t documents = 0;
  uint64_t sentences = 0;
  uint64_t tokens = 0;
  uint64_t unknown = 0;  ///< of these, [UNK]
};

/// Tokenizes all documents, by as many threads as asked for, and writes a folder that TokenFile::open() reads. It
/// appears whole or not at all, and is the same whatever the number of threads. Memory holds some documents at a time,
/// and the longest one.
/// @param folder  does not exist, or is empty
/// @param source  what texts and tokenizer are told by: the folder remembers it
/// @param on_step  called now and then; what it throws ends the run, and comes out of it
/// @throws TextError if no document has a token; what the reader and the tokenizer throw; IoError if the folder cannot
///   be written
TokenCounts write_tokens(DocumentReader& documents, const text::Tokenizer& tokenizer,
                         const std::filesystem::path& folder, const std::string& source, int threads,
                         const std::function<void(const TokenCounts&)>& on_step = {});

}  // namespace summand::train
