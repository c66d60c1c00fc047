#pragma once

#include <filesystem>
#include <string>

namespace summand {

/// A path on one line, fit for a message: control characters escaped, cut where it is too long for any file.
[[nodiscard]] std::string path_text(const std::filesystem::path& path);

/// Whether there is something at a path, links followed.
/// @throws IoError if that cannot be told, as when a directory on the way may not be searched
[[nodiscard]] bool is_there(const std::filesystem::path& path);

/// The system's words for an errno, as in "No such file or directory".
[[nodiscard]] std::string errno_text(int error_number);

}  // namespace summand
