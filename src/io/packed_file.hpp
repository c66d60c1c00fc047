#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/content_hash.hpp"
#include "io/mapped_file.hpp"

namespace summand::io {

/// Pieces of bytes, by name.
using NamedPieces = std::map<std::string, std::span<const std::byte>, std::less<>>;

/// Alignment of a piece in memory, in bytes: a cache line.
inline constexpr size_t kPackedAlignment = 64;

/// A file that packed weights were made of, as it was then.
struct PackedSource {
  std::string name;
  ContentHash content;

  bool operator==(const PackedSource&) const = default;
};

/// The origin of packed weights.
struct PackedOrigin {
  std::map<std::string, std::string> settings;  ///< everything else that they depend on, by name
  std::vector<PackedSource> sources;

  bool operator==(const PackedOrigin&) const = default;
};

/// Packed weights in a file, which is mapped: processes that use the same one share its memory.
///
/// The file: "summand packed\n\0", the length of a header and its hash (8 bytes each, little-endian), the header in
/// JSON, zeros up to a page, and the pieces, each from a cache line on. The header has the origin, the pieces' places,
/// and a hash of every 2 MiB after it.
class PackedFile {
 public:
  /// Reads the header.
  /// @throws IoError if the file cannot be read
  /// @throws CheckpointError if it is no such file, or ends early, or its header is damaged
  [[nodiscard]] static PackedFile open(const std::filesystem::path& path);

  [[nodiscard]] const PackedOrigin& origin() const { return origin_; }
  /// Views of the mapped file: keep file() alive while using them.
  [[nodiscard]] const NamedPieces& pieces() const { return pieces_; }
  [[nodiscard]] const std::shared_ptr<const MappedFile>& file() const { return file_; }

  /// Brings the pieces into memory and holds them against their hashes.
  /// @throws CheckpointError if one is damaged
  void check(int threads) const;

 private:
  PackedFile() = default;

  std::filesystem::path path_;
  std::shared_ptr<const MappedFile> file_;
  PackedOrigin origin_;
  NamedPieces pieces_;
  std::span<const std::byte> data_;
  std::vector<uint64_t> hashes_;
};

/// Whether a file begins as one of packed weights does.
/// @throws IoError if it is no regular file or cannot be read
[[nodiscard]] bool is_packed_file(const std::filesystem::path& path);

/// Writes such a file; it appears whole or not at all.
/// @throws IoError if it cannot be written, or is a pipe or device
void write_packed_file(const std::filesystem::path& path, const PackedOrigin& origin, const NamedPieces& pieces);

}  // namespace summand::io
