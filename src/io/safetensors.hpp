#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "model/tensor.hpp"

namespace summand::io {

/// The content of a safetensors file, mapped: nothing is copied, and every tensor keeps the map alive.
struct SafetensorsFile {
  std::filesystem::path path;
  std::map<std::string, model::Tensor, std::less<>> tensors;
  /// Tensors of element types that this program does not compute with (F64, I32, U8, …): name → "F64 [2, 3]". Their
  /// sizes and places are checked like the others'.
  std::map<std::string, std::string, std::less<>> unsupported;
  std::map<std::string, std::string, std::less<>> metadata;
};

/// Maps a safetensors file and checks it entirely before anything of it is used: the header's length against the
/// file's, its JSON, each shape's product times the element size against its byte range (without overflow), and that
/// the ranges cover the data exactly, with neither overlap nor hole. A shape may contain 0.
/// @throws IoError if the file cannot be read
/// @throws CheckpointError naming the tensor, what was expected and what was got
/// Source: huggingface.co/docs/safetensors, section Format
[[nodiscard]] SafetensorsFile read_safetensors(const std::filesystem::path& path);

}  // namespace summand::io
