#pragma once

#include <filesystem>
#include <string>

namespace summand::text {

/// The bytes of a file.
/// @throws IoError with the system's reason
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace summand::text
