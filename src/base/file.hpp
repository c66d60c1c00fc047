#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace summand {

/// No file of settings comes near this.
inline constexpr size_t kLongestConfiguration = size_t{16} << 20;
/// For a file that holds a vocabulary: tokenizer.json, vocab.txt.
inline constexpr size_t kLongestVocabulary = size_t{1} << 30;

/// The bytes of a file; a pipe is read to its end.
/// @throws IoError with the system's reason
/// @throws ConfigError if it has more bytes than `most`
[[nodiscard]] std::string read_file(const std::filesystem::path& path, size_t most);

}  // namespace summand
