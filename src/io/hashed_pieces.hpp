#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/mapped_file.hpp"

namespace summand::io {

/// Bytes of a file that are hashed together, so that several threads can look at different ones.
inline constexpr size_t kHashedPiece = size_t{2} << 20;

/// What becomes of the pages that were looked at.
enum class After { keep, give_back };

/// A hash of every kHashedPiece of the bytes, in their order; the last may be shorter.
/// @param bytes  of the file
[[nodiscard]] std::vector<uint64_t> hashes_of_pieces(const MappedFile& file, std::span<const std::byte> bytes,
                                                     int threads, After after);

}  // namespace summand::io
