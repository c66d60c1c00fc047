#pragma once

#include <filesystem>

#include "io/safetensors.hpp"

namespace summand::io {

/// Reads a file that torch.save wrote of a state dict, pytorch_model.bin for example: a zip archive of a pickle and of
/// the tensors' numbers, torch's format since 1.6. The file is mapped and no code in it is run (read_tensor_pickle).
/// A tensor whose numbers lie in their order looks into the file, also where several share them; others are copied in
/// their order, all together at most as many bytes as the file has.
/// @return the tensors as safetensors hold them, without metadata
/// @throws IoError if the file cannot be read
/// @throws CheckpointError if it has torch's older format, is damaged, holds anything but a dictionary of tensors, or a
///   tensor leads out of its numbers, each named
[[nodiscard]] SafetensorsFile read_torch_file(const std::filesystem::path& path);

}  // namespace summand::io
