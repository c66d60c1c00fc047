#pragma once

#include <filesystem>

namespace summand::train {

/// Removes what a run has left in its folder, so that another one begins there: checkpoints, curves and results. Other
/// files stay, and run.json, which marks the folder as a run's. Nothing happens if it holds none.
/// @throws IoError if another run has the folder, or something cannot be removed
void remove_run(const std::filesystem::path& folder);

/// Whether remove_run() might remove a path.
[[nodiscard]] bool lies_in_run(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace summand::train
