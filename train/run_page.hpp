#pragma once

#include <filesystem>

namespace summand::train {

/// Writes a run's curves.svg, its losses, and index.html, which opens from disk: how it stands, its losses, accuracy,
/// learning rate and gradients, how often each position was seen, and its options. Read from run.json, metrics.jsonl
/// and last/state.json.
/// @param folder  a run's
/// @throws IoError if a file cannot be read or written, ConfigError if one is damaged
void write_run_page(const std::filesystem::path& folder);

}  // namespace summand::train
