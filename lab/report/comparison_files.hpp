#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "lab/results/comparison.hpp"

namespace summand::lab {

/// Writes compare.json, compare.csv and index.html: every claim and number of the checkpoints side by side.
/// @param command  that redoes it
/// @throws IoError naming the file that cannot be written
void write_comparison(const std::filesystem::path& folder, std::span<const ComparedRun> runs,
                      const std::string& command);

}  // namespace summand::lab
