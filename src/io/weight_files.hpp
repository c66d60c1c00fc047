#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/tensor.hpp"

namespace summand::io {

/// A tensor of a checkpoint under its canonical name.
struct StoredTensor {
  std::string stored_name;     ///< as the file spells it
  std::filesystem::path file;  ///< its file
  model::Tensor tensor;        ///< empty where `unsupported` is not
  std::string unsupported;     ///< "F64 [2, 3]" for an element type that this program does not compute with
};

/// All tensors of a checkpoint directory, whether it has one file or several.
struct WeightFiles {
  std::filesystem::path path;  ///< model.safetensors or pytorch_model.bin, or the index of several
  std::map<std::string, StoredTensor, std::less<>> tensors;
};

/// Hugging Face's present name of a tensor: without the `bert.` that heads' checkpoints put before the encoder, and
/// with `weight` and `bias` for the `gamma` and `beta` that normalisations had before 2019.
[[nodiscard]] std::string canonical_name(const std::string& stored_name);

/// The files that read_weight_files reads, by name: the index, where there is one, and every file of weights.
/// @throws as read_weight_files, except for errors that depend on the contents of the weights
[[nodiscard]] std::vector<std::string> weight_file_names(const std::filesystem::path& directory);

/// Reads model.safetensors, or the files that model.safetensors.index.json lists; if there is neither,
/// pytorch_model.bin or the files that its index lists (read_torch_file).
/// @throws IoError if a file cannot be read
/// @throws CheckpointError if there is none of them (naming what the directory has instead), a file is damaged, a file
///   or tensor of the index is missing (naming all), or two tensors have the same canonical name
[[nodiscard]] WeightFiles read_weight_files(const std::filesystem::path& directory);

}  // namespace summand::io
