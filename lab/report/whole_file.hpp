#pragma once

#include <filesystem>
#include <string_view>

namespace summand::lab {

/// Makes the file's folder where it is missing, and lets the file appear whole.
/// @throws IoError naming what cannot be written
void write_whole(const std::filesystem::path& path, std::string_view text);

}  // namespace summand::lab
