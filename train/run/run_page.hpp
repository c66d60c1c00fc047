#pragma once

#include <filesystem>

namespace summand::train {

/// Writes a run's curves.svg with its losses, and index.html with its state, losses, accuracy, learning rate,
/// gradients, how often each position was seen, and options; of a fine-tuning also its results. The page opens from
/// disk. Reads run.json, metrics.jsonl, last/state.json, and metrics.json if it is there.
/// @param folder  a run's
/// @throws IoError if a file cannot be read or written, ConfigError if one is damaged
void write_run_page(const std::filesystem::path& folder);

}  // namespace summand::train
