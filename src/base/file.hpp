#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace summand {

/// More than any settings file.
inline constexpr size_t kLongestConfiguration = size_t{16} << 20;
/// For tokenizer.json, which holds a vocabulary: half a million tokens, indented, are 20 MB.
inline constexpr size_t kLongestTokenizer = size_t{64} << 20;

/// The bytes of a file, or of a pipe up to its end.
/// @throws IoError with the system's reason
/// @throws ConfigError if it has more bytes than `most`
[[nodiscard]] std::string read_file(const std::filesystem::path& path, size_t most);

}  // namespace summand
