#pragma once

#include <filesystem>
#include <string_view>

namespace summand::train {

/// Writes a file that appears whole. @throws IoError if it cannot be written
void write_whole(const std::filesystem::path& path, std::string_view content);

}  // namespace summand::train
