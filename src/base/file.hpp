#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace summand {

/// No file of settings comes near this.
inline constexpr size_t kLongestConfiguration = size_t{16} << 20;
/// For tokenizer.json, which holds a vocabulary and may be indented: half a million tokens are 20 MB.
inline constexpr size_t kLongestTokenizer = size_t{64} << 20;

/// The bytes of a file; a pipe is read to its end.
/// @throws IoError with the system's reason
/// @throws ConfigError if it has more bytes than `most`
[[nodiscard]] std::string read_file(const std::filesystem::path& path, size_t most);

}  // namespace summand
