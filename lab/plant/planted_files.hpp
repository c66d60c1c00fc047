#pragma once

#include <filesystem>
#include <string_view>

#include "io/output_directory.hpp"
#include "lab/plant/rewritten_models.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// table.npy, in single precision. @throws IoError
void write_planted_table(const Table& table, const io::OutputDirectory& out);

/// The checkpoint with other parameters: all its settings, its vocabulary and its sentence modules as they are.
/// @throws IoError, ConfigError, CheckpointError as io::copy_checkpoint()
void write_rewritten_model(const RewrittenModel& model, const io::Checkpoint& source, const io::OutputDirectory& out);

/// A model of other sizes: configuration, parameters, and the files of the source's tokenizer. @throws IoError
void write_random_model(const RewrittenModel& model, const io::Checkpoint& source, const io::OutputDirectory& out);

/// A file of the folder, whole. @throws IoError
void write_planted_text(std::string_view name, std::string_view text, const io::OutputDirectory& out);

}  // namespace summand::lab
