#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace summand::io {

/// Limit for a checkpoint, over all its files. Each costs 600 bytes in memory and as little as 60 in a file; the
/// largest BERT has 400.
inline constexpr size_t kMostTensors = size_t{1} << 14;

/// One tensor as a safetensors header states it, nothing of it believed yet.
struct HeaderEntry {
  std::string name;
  std::string dtype;
  std::vector<size_t> shape;
  uint64_t begin = 0;  ///< byte offsets into the data after the header
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<HeaderEntry> entries;  ///< in the file's order, names unique
  std::map<std::string, std::string, std::less<>> metadata;
};

/// Reads the JSON of a safetensors header. What it allocates is bounded by the text's length and kMostTensors.
/// @param where  the file, for messages
/// @throws CheckpointError if the text is not the JSON that the format prescribes: anything but one object, a name
///   that occurs twice, more than kMostTensors tensors or entries of metadata, a key that is missing, unknown or of
///   another type, bytes that are not UTF-8
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view json, std::string_view where);

}  // namespace summand::io
