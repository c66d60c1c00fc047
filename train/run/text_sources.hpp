#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "text/input_record.hpp"

namespace summand::train {

/// A file of texts, and the hash of its bytes.
struct TextFile {
  std::string path;
  std::string hash;
};

/// Files of texts, and their hash together with the tokenizer's files.
struct TextSource {
  std::vector<TextFile> files;
  std::string hash;  ///< of run.json's "data"
};

/// @param fields  of records
/// @throws IoError if a file cannot be read; Interrupted
[[nodiscard]] TextSource text_source(const std::vector<std::string>& texts, const text::InputFields& fields,
                                     const std::filesystem::path& tokenizer);

/// A hash of every file in a tokenizer's folder that affects tokens or goes into a checkpoint.
/// @param class_name  the tokenizer's class, which config.json may name
/// @throws IoError if one cannot be read
[[nodiscard]] std::string tokenizer_hash(const std::filesystem::path& tokenizer, std::string_view class_name);

/// Files that are given twice, or used for both training and validation, one line each.
[[nodiscard]] std::vector<std::string> repeated_files(const TextSource& train, const TextSource& valid);

}  // namespace summand::train
