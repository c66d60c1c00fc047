#pragma once

#include <filesystem>
#include <functional>

#include "io/checkpoint.hpp"
#include "io/output_directory.hpp"
#include "model/config.hpp"

namespace summand::io {

/// Changes for a copy of a checkpoint.
struct CheckpointChanges {
  const model::Weights& weights;  ///< of the transformer
  model::WeightFormat weight_format = model::WeightFormat::floating;
  /// Whose settings below "summand" the copy has; null: as they were.
  const model::Config* own_settings = nullptr;
};

/// Writes a checkpoint directory anew: config.json with every key that it had, but what is said otherwise, the given
/// weights in one file, and of the root, the transformer and the sentence modules what is read by a load (settings,
/// vocabulary, the weights of Dense modules) beside the model card and the licence. Other weights, other programs'
/// formats among them, stay behind.
/// @param on_file  called after every file; its exceptions propagate
/// @throws IoError if a file cannot be read or written
/// @throws ConfigError or CheckpointError if a file changed since the checkpoint was loaded and is malformed now
void copy_checkpoint(const Checkpoint& checkpoint, const CheckpointChanges& changes, const OutputDirectory& out,
                     const std::function<void()>& on_file);

}  // namespace summand::io
