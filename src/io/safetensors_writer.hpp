#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/output_file.hpp"
#include "model/weights.hpp"

namespace summand::io {

/// A tensor that is going to be written.
struct TensorHeader {
  std::string name;
  model::DType dtype = model::DType::f32;
  std::vector<size_t> shape;
};

using Metadata = std::map<std::string, std::string, std::less<>>;

/// Writes a safetensors file piece by piece: names, types and shapes first, then each tensor's bytes in any order among
/// the tensors. Into a pipe they must come tensor by tensor in the order of the list. The data begins at a multiple of
/// 8; list wide elements before narrow ones and every tensor is aligned.
class SafetensorsWriter {
 public:
  /// @param file  an empty one that outlives this object
  /// @throws UsageError if a name is empty, occurs twice or is "__metadata__", or is not UTF-8
  SafetensorsWriter(OutputFile& file, std::vector<TensorHeader> tensors, const Metadata& metadata = {});

  /// Writes the next bytes of one tensor, little-endian, row-major.
  /// @param tensor  its index in the list
  /// @throws UsageError if they are more than its shape takes
  void append(size_t tensor, std::span<const std::byte> bytes);
  void append(size_t tensor, std::span<const float> values) { append(tensor, std::as_bytes(values)); }

  /// Checks that every tensor is whole. The file is still to be committed.
  /// @throws UsageError naming one that is not
  void finish() const;

 private:
  struct Region {
    std::string name;
    uint64_t next = 0;  ///< where its next byte goes
    uint64_t end = 0;
  };

  OutputFile& file_;
  std::vector<Region> regions_;
};

/// Writes tensors that are at hand to a file, widest elements first, then by name; a weight in 8 bits with its scales
/// in another tensor, under scale_name().
/// @throws IoError if the file cannot be written; it then is as it was
void write_safetensors(const std::filesystem::path& path, const model::Weights& tensors, const Metadata& metadata = {});

}  // namespace summand::io
