#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "io/mapped_file.hpp"

namespace summand::io {

/// Bytes of a file that are hashed together, so that several threads can look at different ones.
inline constexpr size_t kHashedPiece = size_t{2} << 20;

/// A hash of every kHashedPiece of the bytes, in their order; the last may be shorter. Their pages are in memory then.
/// @param bytes  of the file
[[nodiscard]] std::vector<uint64_t> hashes_of_pieces(const MappedFile& file, std::span<const std::byte> bytes,
                                                     int threads);

/// Hash and size of a file's contents.
struct ContentHash {
  uint64_t bytes = 0;
  uint64_t hash = 0;

  bool operator==(const ContentHash&) const = default;
};

/// Reads a file whole, a little of it in memory at a time: faster than a map of what is not wanted afterwards. The same
/// for every number of threads.
/// @throws IoError if it is no regular file or cannot be read
[[nodiscard]] ContentHash content_hash(const std::filesystem::path& path, int threads);

}  // namespace summand::io
