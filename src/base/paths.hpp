#pragma once

#include <filesystem>
#include <string>

namespace summand {

/// A path for a message: on one line, escaped, cut if longer than any file's path.
[[nodiscard]] std::string path_text(const std::filesystem::path& path);

/// Whether the path exists, following links.
/// @throws IoError if that cannot be determined, as without permission to search a directory
[[nodiscard]] bool is_there(const std::filesystem::path& path);

/// The system's message for an errno, such as "No such file or directory".
[[nodiscard]] std::string errno_text(int error_number);

}  // namespace summand
