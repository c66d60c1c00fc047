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

/// Files of texts, and what tells them together with the tokenizer's tokenizer.json.
struct TextSource {
  std::vector<TextFile> files;
  std::string hash;  ///< of run.json's "data"
};

/// @param fields  that records are read from
/// @throws IoError if a file cannot be read; Interrupted
[[nodiscard]] TextSource text_source(const std::vector<std::string>& texts, const text::InputFields& fields,
                                     const std::filesystem::path& tokenizer);

/// A hash of every file of a tokenizer's folder that decides which tokens texts become, or that a checkpoint gets.
/// @param class_name  by which the folder was read: config.json may name it
/// @throws IoError if one cannot be read
[[nodiscard]] std::string tokenizer_hash(const std::filesystem::path& tokenizer, std::string_view class_name);

/// What of the files is given twice, or validates what it trains, one line each.
[[nodiscard]] std::vector<std::string> repeated_files(const TextSource& train, const TextSource& valid);

}  // namespace summand::train
