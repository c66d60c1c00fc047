#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace summand::io {

/// The contents of model.safetensors.index.json: the file of each tensor.
struct SafetensorsIndex {
  std::filesystem::path path;
  std::map<std::string, std::string, std::less<>> file_of;  ///< tensor name → file name in the index's folder
};

/// Reads an index. No shard is opened.
/// @throws IoError if it cannot be read
/// @throws CheckpointError if it has no weight_map of strings, or a shard's name is anything but a plain file name
///   (a path would lead out of the directory)
[[nodiscard]] SafetensorsIndex read_safetensors_index(const std::filesystem::path& path);

}  // namespace summand::io
